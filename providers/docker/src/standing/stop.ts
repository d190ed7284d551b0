import { ErrandError } from '@errand/contract';
import type { Call } from '@errand/contract';
import type { Engines } from '../engines.ts';
import type { LocatedJob } from '../job.ts';
import { reach } from './reach.ts';
import { answers, ask as types, number32, number64, text } from './wire.ts';

/**
 * False when no container runs: then nothing of the job is alive, and only a mark can keep it from being started later.
 * Where one runs, the shim takes the name of a job that was not started yet.
 */
export async function stopInside(engines: Engines, job: LocatedJob, how: 'ask' | 'force', call: Call): Promise<boolean> {
  const line = await reach(engines, job.engine, job.place ?? '', call.signal);
  if (!line) return false;
  const payload = Buffer.concat([text(job.name), number32(how === 'force' ? 1 : 0), number64(call.epoch)]);
  const reply = (await line.ask(types.stop, payload, call.signal)).at(-1);
  if (reply?.extra === answers.done) return true;
  throw new ErrandError(
    reply?.extra === answers.fenced ? 'provider/fenced' : 'provider/failed',
    `tried to stop the job ${call.key}: the standing container refused it`,
  );
}
