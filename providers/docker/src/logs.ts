// Following a job's output. The first reading takes both streams over one connection, in the order in which the engine
// wrote them; a later one goes on in each stream by itself, from where that stream was (see cursor.ts).
import { ErrandError, isErrandError } from '@errand/contract';
import type { Ask, LogChunk, Ref, Stream } from '@errand/contract';
import { advance, createFilter, parseCursor, sinceText, writeCursor } from './cursor.ts';
import type { Positions } from './cursor.ts';
import type { Container, Engine, LogRequest } from './client.ts';
import type { Engines } from './engines.ts';
import { engineError, hasStatus } from './errors.ts';
import { readFrames } from './frames.ts';
import type { Frame } from './frames.ts';
import { couldNotRun, isEnded, isUnstarted, locate, look, stopsOf } from './job.ts';
import type { LocatedJob } from './job.ts';
import { merge } from './merge.ts';
import { pause } from './pause.ts';
import { logsInside } from './standing/logs.ts';

/** So often a reading that brings nothing new may fail before the caller hears of it. */
const attempts = 8;

/** The signal ends the following with its reason, never the job. */
export async function* logs(engines: Engines, ref: Ref<'job'>, after: string | undefined, ask: Ask): AsyncGenerator<LogChunk> {
  const job = await locate(engines, ref, ask.signal);
  if (!job) return void parseCursor(after);
  if (job.inside) return yield* logsInside(engines, job, after, ask);
  let positions = parseCursor(after);
  let failures = 0;
  let atOnce = false;
  for (let wait = 0; ; wait = Math.min(wait * 2 + 20, 1_000)) {
    if (wait > 0 && !atOnce) await pause(wait, ask.signal);
    atOnce = false;
    try {
      const container = await look(job.engine, job.name, ask.signal);
      if (!container) return await endWithoutContainer(engines, job, ref, after, ask);
      if (isUnstarted(container)) continue;
      if (couldNotRun(container)) return yield* lastWords(container, positions);
      // Asked before the reading: then what was written before the end is certainly seen.
      const ended = isEnded(container);
      for await (const frames of reading(job.engine, container.id, positions, !ended, ask.signal)) {
        for (const { stream, bytes, until } of chunks(frames, positions)) {
          positions = until;
          failures = 0;
          wait = 0;
          yield { stream, bytes, cursor: writeCursor(positions) };
        }
      }
      if (ended) return;
      // Most often the job has ended; one look without a pause tells.
      atOnce = wait === 0;
    } catch (error) {
      ask.signal.throwIfAborted();
      const problem = engineError(job.engine.address, `tried to follow the output of ${job.name}`, error);
      failures += 1;
      // Gone between the look and the reading, or just going: the next look tells.
      const changed = hasStatus(error, 404) || hasStatus(error, 409);
      const passing = isErrandError(problem) && problem.retry === 'later';
      if (!(changed || passing) || failures >= attempts) throw problem;
    }
  }
}

/** Nothing to tell of a job that never ran; of one that did, its output is lost. */
async function endWithoutContainer(
  engines: Engines,
  job: LocatedJob,
  ref: Ref<'job'>,
  after: string | undefined,
  ask: Ask,
): Promise<void> {
  const stopped = (await stopsOf(engines, job, ask.signal)).size > 0;
  if (stopped || (ref.handle === undefined && after === undefined)) return;
  throw new ErrandError(
    'provider/not-found',
    `tried to follow the output of ${job.name}: the engine has no such container any more`,
  );
}

function* lastWords(container: Container, from: Positions): Generator<LogChunk> {
  if (from.stderr.total > 0) return;
  const stderr = { since: 0n, given: 1, total: 1 };
  yield { stream: 'stderr', bytes: Buffer.from(`${container.error}\n`), cursor: writeCursor({ ...from, stderr }) };
}

async function* reading(
  engine: Engine,
  id: string,
  from: Positions,
  follow: boolean,
  signal: AbortSignal,
): AsyncGenerator<Frame[]> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const open = (request: LogRequest) => readFrames(engine.logs(id, request, either));
  const only = (stream: Stream) => {
    const since = sinceText(from[stream]);
    const both = { follow, stdout: stream === 'stdout', stderr: stream === 'stderr' };
    return fresh(open(since === undefined ? both : { ...both, since }), createFilter(from[stream]));
  };
  try {
    if (from.stdout.total + from.stderr.total === 0) yield* open({ follow, stdout: true, stderr: true });
    else yield* merge([only('stdout'), only('stderr')]);
  } finally {
    over.abort();
  }
}

async function* fresh(source: AsyncIterable<Frame[]>, isNew: (frame: Frame) => boolean): AsyncGenerator<Frame[]> {
  for await (const frames of source) {
    const later = frames.filter(isNew);
    if (later.length > 0) yield later;
  }
}

/** Neighbours of one stream are given as one chunk. */
function* chunks(frames: readonly Frame[], from: Positions) {
  let positions = from;
  for (let at = 0; at < frames.length;) {
    const stream = frames[at]?.stream ?? 'stdout';
    const parts: Uint8Array[] = [];
    for (let frame = frames[at]; frame?.stream === stream; frame = frames[++at]) {
      parts.push(frame.bytes);
      positions = { ...positions, [stream]: advance(positions[stream], frame) };
    }
    yield { stream, bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), until: positions };
  }
}
