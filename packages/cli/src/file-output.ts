import { fstatSync, write } from 'node:fs';
import type { Output } from './sink.ts';

/**
 * Redirected streams, written by other threads. Node's own stream for a file blocks the whole process at every write,
 * and with it the log that is being kept at the same time. Undefined for what is not a file.
 */
export function fileOutputs(out: number, err: number): { readonly out: Output | undefined; readonly err: Output | undefined } {
  const toOut = fileId(out);
  const toErr = fileId(err);
  const first = toOut === undefined ? undefined : fileOutput(out);
  // With `> file 2>&1` both go through one queue, or they would overtake each other.
  if (toErr === toOut) return { out: first, err: first };
  return { out: first, err: toErr === undefined ? undefined : fileOutput(err) };
}

function fileOutput(fd: number): Output {
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    write(data, callback) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      waiting += bytes.length;
      const done = turn.then(() => writeAll(fd, bytes));
      turn = done.then(
        () => void (waiting -= bytes.length),
        () => {},
      );
      done.then(() => callback(), callback);
      return waiting < roomFor;
    },
    on: () => undefined,
  };
}

/** What may wait to be written before the writer has to wait too. */
const roomFor = 2 * 1024 * 1024;

function fileId(fd: number): string | undefined {
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** Without a position: appending and shared offsets (`>>`, `2>&1`) work as the shell set them up. */
async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await writeSome(fd, bytes.subarray(at));
}

function writeSome(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error) reject(error);
      else resolve(written);
    });
  });
}
