// The output of a job in a standing container. It lies in two files, so a position is how many bytes of each were given.
import { ErrandError } from '@errand/contract';
import type { Ask, LogChunk } from '@errand/contract';
import type { Engines } from '../engines.ts';
import { engineError, isUnreachable } from '../errors.ts';
import { stopsOf } from '../job.ts';
import type { LocatedJob } from '../job.ts';
import { pause } from '../pause.ts';
import { readPlace } from '../place.ts';
import type { Offsets } from './line.ts';
import { isBroken, reach, recordOf } from './reach.ts';

/** So often a reading that brings nothing new may fail before the caller hears of it. */
const attempts = 8;

export async function* logsInside(
  engines: Engines,
  job: LocatedJob,
  after: string | undefined,
  ask: Ask,
): AsyncGenerator<LogChunk> {
  let at = parseOffsets(after);
  for (let failures = 0; ;) {
    try {
      const line = await reach(engines, job.engine, job.place ?? '', ask.signal);
      if (!line) return yield* rest(engines, job, at, ask);
      for await (const heard of line.follow(job.name, at, ask.signal)) {
        if ('end' in heard) return;
        at = { ...at, [heard.stream]: heard.offset };
        failures = 0;
        yield { stream: heard.stream, bytes: heard.bytes, cursor: writeOffsets(at) };
      }
    } catch (error) {
      ask.signal.throwIfAborted();
      failures += 1;
      const passing = isBroken(error) || isUnreachable(error);
      if (!passing || failures >= attempts) {
        throw engineError(job.engine.address, `tried to follow the output of ${job.name}`, error);
      }
      await pause(Math.min(20 * 2 ** failures, 1_000), ask.signal);
    }
  }
}

/** From the files of a container that is down: nobody writes to them any more. */
async function* rest(engines: Engines, job: LocatedJob, from: Offsets, ask: Ask): AsyncGenerator<LogChunk> {
  const place = job.place === undefined ? undefined : await readPlace(job.engine, job.place, ask.signal);
  if (!place?.standing) {
    if ((await stopsOf(engines, job, ask.signal)).size > 0) return;
    throw new ErrandError('provider/not-found', `tried to follow the output of ${job.name}: its place is gone`);
  }
  let at = from;
  for (const stream of ['stdout', 'stderr'] as const) {
    let offset = 0;
    for await (const bytes of recordOf(job, stream === 'stdout' ? 'out' : 'err', ask)) {
      const fresh = bytes.subarray(Math.max(0, at[stream] - offset));
      offset += bytes.length;
      if (fresh.length === 0) continue;
      at = { ...at, [stream]: offset };
      yield { stream, bytes: fresh, cursor: writeOffsets(at) };
    }
  }
}

export const writeOffsets = ({ stdout, stderr }: Offsets) => `s${stdout}.${stderr}`;

export function parseOffsets(cursor: string | undefined): Offsets {
  if (cursor === undefined) return { stdout: 0, stderr: 0 };
  const match = /^s(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (match) return { stdout: Number(match[1]), stderr: Number(match[2]) };
  throw new ErrandError(
    'usage/invalid',
    `refused the cursor ${JSON.stringify(cursor)}: it is not one of a standing place’s job`,
    {
      next: 'Use a cursor that came with this job’s output.',
    },
  );
}
