import type { Ask, JobExit } from '@errand/contract';
import type { Engines } from '../engines.ts';
import { trying } from '../errors.ts';
import { stopsOf } from '../job.ts';
import type { LocatedJob } from '../job.ts';
import { exitFrom } from './exit.ts';
import { evidenceOf, isBroken, reach, recordOf } from './reach.ts';

/** Undefined when the line broke and it is worth asking again. */
export async function observeInside(engines: Engines, job: LocatedJob, ask: Ask): Promise<JobExit | undefined> {
  const { engine, name, place = '' } = job;
  return trying(engine, `tried to wait for ${name}`, async () => {
    const line = await reach(engines, engine, place, ask.signal);
    if (!line) return afterwards(engines, job, ask);
    try {
      for await (const heard of line.follow(name, 'end', ask.signal)) {
        if ('end' in heard) return exitFrom(heard.end) ?? (await without(engines, job, heard.end, ask));
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
    return undefined;
  });
}

/** No container runs, so nothing of the job is alive. What it left tells how it ended, if it did so by itself. */
async function afterwards(engines: Engines, job: LocatedJob, ask: Ask): Promise<JobExit> {
  const parts: Uint8Array[] = [];
  for await (const bytes of recordOf(job, 'exit', ask)) parts.push(bytes);
  return exitFrom(Buffer.concat(parts).toString()) ?? without(engines, job, 'lost', ask);
}

async function without(engines: Engines, job: LocatedJob, word: string, ask: Ask): Promise<JobExit> {
  const stops = await stopsOf(engines, job, ask.signal);
  if (stops.size > 0) return { kind: 'signalled', signal: stops.has('ask') ? 'SIGTERM' : 'SIGKILL' };
  const evidence = await evidenceOf(job.engine, job.place ?? '', ask.signal);
  const what = word === 'unknown' ? 'knows no such job' : 'has no end on record, and whoever watched it there is gone';
  return { kind: 'lost', evidence: `the place ${job.place} ${what} (${job.name}): ${evidence}` };
}
