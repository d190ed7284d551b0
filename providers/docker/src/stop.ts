import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, Ref } from '@errand/contract';
import { EngineFailure } from './client.ts';
import type { Container, Engine } from './client.ts';
import type { Engines } from './engines.ts';
import { trying } from './errors.ts';
import { cancelledFile, isEnded, isUnstarted, locate, look } from './job.ts';
import type { LocatedJob } from './job.ts';
import { label, nameOf } from './layout.ts';
import { pause } from './pause.ts';
import { stopInside } from './standing/stop.ts';
import { labelsIn, passFence, readPlace } from './place.ts';

/** After this long nobody can still mean to start the job. */
const markLifetime = 24 * 3_600_000;

type How = 'ask' | 'force';

/**
 * Says it before doing it: a start that comes later finds the mark, and one that is under way finds its container
 * removed or is found running. A job that no engine has is marked on this machine, for nothing there could own a mark.
 */
export async function stop(engines: Engines, ref: Ref<'job'>, how: How, call: Call): Promise<void> {
  const known = await locate(engines, ref, call.signal);
  if (!known) leaveMark(engines.home, nameOf(ref.key));
  const job = known ?? (await locate(engines, ref, call.signal));
  if (!job?.place) return;
  const place = await readPlace(job.engine, job.place, call.signal);
  if (!place?.standing) return;
  await passFence(job.engine, place, call.epoch, call.signal);
  await trying(job.engine, `tried to stop the job ${ref.key}`, async () => {
    if (job.inside && (await stopInside(engines, job, how, call))) return;
    const before = job.inside ? undefined : await job.engine.container(job.name, call.signal);
    if (before && isEnded(before)) return;
    const labels = labelsIn(place, 'stop', { [label.job]: job.name, [label.value]: how });
    await job.engine.createVolume(`${job.name}.${how}`, labels, call.signal);
    if (!job.inside) await deliver(job, how, call.signal);
  });
}

/** An engine that goes on refusing is not asked for ever. */
const rounds = 20;

async function deliver(job: LocatedJob, how: How, signal: AbortSignal): Promise<void> {
  for (let round = 1; ; round++) {
    const container = await look(job.engine, job.name, signal);
    if (!container || isEnded(container)) return;
    try {
      if (await tell(job.engine, container, how, signal)) return;
    } catch (error) {
      // It changed between the look and the word: it is starting or ending. Engines differ in how they say so.
      if (!(error instanceof EngineFailure) || error.status === undefined || round === rounds) throw error;
    }
    await pause(Math.min(10 * 2 ** round, 500), signal);
  }
}

/** False when it changed meanwhile and must be looked at again. */
async function tell(engine: Engine, container: Container, how: How, signal: AbortSignal): Promise<boolean> {
  // Not by force: one that has just begun is not removed but told.
  if (isUnstarted(container)) return (await engine.removeContainer(container.id, false, signal)) !== 'busy';
  if (container.status === 'paused') await engine.unpauseContainer(container.id, signal);
  await engine.killContainer(container.id, how === 'ask' ? 'SIGTERM' : 'SIGKILL', signal);
  return true;
}

function leaveMark(home: string, name: string): void {
  const file = cancelledFile(home, name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
  for (const other of readdirSync(dirname(file))) {
    const path = join(dirname(file), other);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > markLifetime) rmSync(path, { force: true });
  }
}
