// The `log` of a job: frames of one byte for the stream, four for the length, and the bytes. A cursor is an offset in it.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LogChunk, Stream } from '@errand/contract';

const head = 5;

export interface Recorder extends Disposable {
  write(stream: Stream, bytes: Uint8Array): void;
}

export function record(dir: string): Recorder {
  const file = openSync(join(dir, 'log'), 'a', 0o600);
  return {
    write(stream, bytes) {
      const frame = Buffer.alloc(head + bytes.length);
      frame[0] = stream === 'stdout' ? 1 : 2;
      frame.writeUInt32LE(bytes.length, 1);
      frame.set(bytes, head);
      for (let at = 0; at < frame.length;) at += writeSync(file, frame, at);
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** The whole frames after `offset`; one that is being written is left for the next time. */
export function* readFrames(dir: string, offset: number): Generator<LogChunk & { readonly next: number }> {
  let file: number;
  try {
    file = openSync(join(dir, 'log'), 'r');
  } catch {
    return;
  }
  try {
    for (let at = offset; ;) {
      const start = Buffer.alloc(head);
      if (readSync(file, start, 0, head, at) < head) return;
      const bytes = Buffer.alloc(start.readUInt32LE(1));
      if (readSync(file, bytes, 0, bytes.length, at + head) < bytes.length) return;
      at += head + bytes.length;
      yield { stream: start[0] === 1 ? 'stdout' : 'stderr', bytes, cursor: String(at), next: at };
    }
  } finally {
    closeSync(file);
  }
}
