// Appends one segment file. The frames of a file are always whole except for the last one of a writer that was killed;
// an append that fails is taken back. Nothing is synced: a kill loses nothing, a power cut may lose the last seconds.
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Adoption } from './adopt.ts';
import { openSegment } from './file-segment.ts';
import { encodeHead } from './frames.ts';
import type { LogWriter } from './port.ts';
import type { RecentEntry } from './recent.ts';
import { wholeEnd } from './segment.ts';

type Chunk = Parameters<LogWriter['append']>;

export interface FileWriterOptions {
  readonly path: string;
  readonly adoption: Adoption;
  readonly appended: (entry: RecentEntry) => void;
}

/** Makes nothing on disk before the first append. */
export function createFileWriter({ path, adoption, appended }: FileWriterOptions): LogWriter {
  let file: FileHandle | undefined;
  let end = 0;
  let turn: Promise<void> = Promise.resolve();
  let failures = 0;
  /** Set for good when a failed append could not be taken back, or the writer was closed. */
  let over: ErrandError | undefined;

  async function write(...[stream, bytes, position, source]: Chunk): Promise<{ readonly start: number; readonly end: number }> {
    if (!file) ({ file, end } = await openForAppend(path));
    // The link comes before the frame that needs it; dying in between leaves a link that nobody reads.
    const raw = await adoption.offer(stream, bytes, source);
    const head = encodeHead(stream, bytes.length, position, raw);
    const parts = raw === undefined ? [head, bytes] : [head];
    try {
      await writeAll(file, parts);
      const start = end;
      for (const part of parts) end += part.length;
      return { start, end };
    } catch (error) {
      const problem = writeProblem(path, error);
      try {
        await file.truncate(end);
      } catch {
        over = problem;
      }
      throw problem;
    }
  }

  async function take(before: Promise<void>, seen: number, ...chunk: Chunk) {
    await before;
    if (over) throw over;
    // A chunk behind one that failed would leave a hole, because its position vouches for both.
    if (failures !== seen) throw new ErrandError('internal/bug', 'the log chunk before this one was not written');
    try {
      const span = await write(...chunk);
      const [stream, bytes] = chunk;
      appended({ stream, bytes, ...span });
    } catch (error) {
      failures++;
      throw error;
    }
  }

  return {
    append: (...chunk) => {
      const result = take(turn, failures, ...chunk);
      turn = result.catch(() => {});
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      await turn;
      over ??= new ErrandError('internal/bug', 'the log writer was closed before this chunk');
      await file?.close();
      file = undefined;
    },
  };
}

/** The file exists already when the same watcher opens its log twice; a torn end is then cut off. */
async function openForAppend(path: string): Promise<{ file: FileHandle; end: number }> {
  let file: FileHandle | undefined;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    file = await open(path, 'a', 0o600);
    const { size } = await file.stat();
    if (size === 0) return { file, end: 0 };
    await using segment = await openSegment(path);
    const end = segment ? (await wholeEnd(segment)).bytes : 0;
    if (end < size) await file.truncate(end);
    return { file, end };
  } catch (error) {
    await file?.close();
    throw writeProblem(path, error);
  }
}

async function writeAll(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let left = parts.filter((part) => part.length > 0);
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left);
    left = left.flatMap((part) => {
      const done = Math.min(bytesWritten, part.length);
      bytesWritten -= done;
      return done === part.length ? [] : [part.subarray(done)];
    });
  }
}

function writeProblem(path: string, cause: unknown): ErrandError {
  const { code = 'an unknown error', message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new ErrandError('disk/full', `tried to write the log ${path}; there is no room for it (${code})`, {
      next: 'Free some space, or point ERRAND_HOME at a larger disk.',
      cause,
    });
  }
  return new ErrandError('home/unwritable', `tried to write the log ${path}; ${message}`, {
    next: 'Make the data directory writable for this user, or point ERRAND_HOME at another one.',
    cause,
  });
}
