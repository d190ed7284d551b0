// Follows a job's output files. The cursor is the number of bytes given of each.
import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { ErrandError } from '@errand/contract';
import type { Ask, LogChunk, Ref, Stream } from '@errand/contract';
import { createBell } from './bell.ts';
import { followEnd } from './ending.ts';
import { isAbsent } from './files.ts';
import { locate } from './job.ts';
import { recordFile } from './record.ts';
import type { Supervisor } from './supervise.ts';

const largestRead = 1024 * 1024;
/** Below this a blocking read is over sooner than a thread could begin one. */
const smallRead = 64 * 1024;
/** Who writes this much at once goes on, most likely: a short pause gathers it into fewer and larger chunks. */
const bulk = 16 * 1024;
const gatherFor = 4;

interface Tail {
  readonly stream: Stream;
  readonly path: string;
  file: number | undefined;
  offset: number;
  /** A read that was begun while the last chunk is still being dealt with. */
  ahead: Promise<Uint8Array> | undefined;
}

/** The signal ends the following with its reason, never the job. */
export async function* logs(
  home: string,
  supervisor: Supervisor,
  ref: Ref<'job'>,
  after: string | undefined,
  ask: Ask,
): AsyncGenerator<LogChunk> {
  const job = locate(home, ref);
  if (!job) return;
  const [outOffset, errOffset] = parseCursor(after);
  const out: Tail = { stream: 'stdout', path: `${job.base}.out`, file: undefined, offset: outOffset, ahead: undefined };
  const err: Tail = { stream: 'stderr', path: `${job.base}.err`, file: undefined, offset: errOffset, ahead: undefined };
  const ending = followEnd(supervisor, job);
  using bell = createBell([out.path, err.path, ...(ending.word ? [] : [recordFile(job)])], ending.word);
  using gathering = createBell([], ending.word);
  let quiet = true;
  try {
    for (;;) {
      // Asked before the reading: what was written before the end is then certainly seen.
      const over = quiet && ending.look() !== undefined;
      quiet = true;
      for (let more = true; more;) {
        more = false;
        for (const tail of [out, err]) {
          ask.signal.throwIfAborted();
          const bytes = await next(tail);
          if (!bytes) continue;
          more = true;
          quiet = false;
          const local = { path: tail.path, offset: tail.offset - bytes.length };
          yield { stream: tail.stream, bytes, cursor: `o${out.offset}.e${err.offset}`, local };
          if (bytes.length >= bulk && bytes.length < largestRead) await gathering.wait(gatherFor, ask.signal);
        }
      }
      if (over) return;
      if (quiet) await bell.wait(50, ask.signal);
    }
  } finally {
    for (const tail of [out, err]) {
      // A number that is closed too early may be another file's by the time the read begins.
      await tail.ahead?.catch(() => undefined);
      if (tail.file !== undefined) closeSync(tail.file);
    }
  }
}

/** Undefined when there is nothing new. Every chunk has a buffer of its own, because the reader may keep it. */
async function next(tail: Tail): Promise<Uint8Array | undefined> {
  const file = open(tail);
  if (file === undefined) return undefined;
  const bytes = await (tail.ahead ?? some(file, tail.offset));
  tail.ahead = undefined;
  tail.offset += bytes.length;
  // Much is coming: the next part is fetched while this one is written down.
  if (bytes.length === largestRead) {
    tail.ahead = some(file, tail.offset);
    tail.ahead.catch(() => undefined);
  }
  return bytes.length === 0 ? undefined : bytes;
}

async function some(file: number, offset: number): Promise<Uint8Array> {
  const there = Math.min(fstatSync(file).size - offset, largestRead);
  if (there <= 0) return nothing;
  const buffer = Buffer.allocUnsafeSlow(there);
  const got = there <= smallRead ? readSync(file, buffer, 0, there, offset) : await readAt(file, buffer, offset);
  return got === there ? buffer : buffer.subarray(0, got);
}

const nothing = new Uint8Array(0);

function open(tail: Tail): number | undefined {
  if (tail.file !== undefined) return tail.file;
  try {
    tail.file = openSync(tail.path, 'r');
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return tail.file;
}

function readAt(file: number, buffer: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, 0, buffer.length, position, (error, got) => {
      if (error) reject(error);
      else resolve(got);
    });
  });
}

function parseCursor(cursor: string | undefined): readonly [number, number] {
  if (cursor === undefined) return [0, 0];
  const match = /^o(\d+)\.e(\d+)$/.exec(cursor);
  if (match) return [Number(match[1]), Number(match[2])];
  throw new ErrandError('usage/invalid', `refused the cursor ${JSON.stringify(cursor)}: it is not one of a local job`, {
    next: 'Use a cursor that came with this job’s output.',
  });
}
