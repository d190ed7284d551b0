// The straight path, for a new run and for one whose watcher died alike: every step looks at what is written already,
// and every outside call has a key, so going through it again does what is left and doubles nothing.
import { isErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Run } from '../model/run.ts';
import { collectFiles } from './collect.ts';
import { closeRun } from './close.ts';
import { conclude, endedByItself, errored, outcomeOf } from './conclude.ts';
import { followJob } from './follow-job.ts';
import { keepLease } from './keep-lease.ts';
import { provisionPlace } from './provision.ts';
import { realizeWorkspace } from './realize.ts';
import { sealEarlierLogs } from './seal.ts';
import { startJob } from './start-job.ts';
import { syncBack } from './sync-back.ts';
import { takePlace } from './take-place.ts';
import { watchRun } from './watch.ts';
import type { Watch } from './watch.ts';

/**
 * Takes a claimed run to its end. Rejects when it could not go on watching (`leave` fired, fenced, the store or the
 * disk failed): the run is then left as it stands, for the next watcher.
 */
export async function execute(engine: Engine, claimed: Run, leave: AbortSignal): Promise<Run> {
  await using watch = watchRun(engine, claimed, leave);
  await sealEarlierLogs(engine, watch);
  if (watch.run.status !== 'closing') await carryOut(engine, watch);
  watch.signal.throwIfAborted();
  await collectFiles(engine, watch);
  await syncBack(engine, watch);
  return closeRun(engine, watch);
}

async function carryOut(engine: Engine, watch: Watch): Promise<void> {
  try {
    const taken = await takePlace(engine, watch);
    await using _kept = keepLease(engine, watch, taken);
    const lease = await provisionPlace(engine, watch, taken);
    await realizeWorkspace(engine, watch, lease);
    const job = await startJob(engine, watch, lease);
    const { exit, stopped, problem } = await followJob(engine, watch, job);
    // A start that was refused was stopped too, only to make sure that nothing is left of it; what ran all the same ran.
    const refused = job.refused !== undefined && !endedByItself(exit);
    const outcome = refused
      ? errored(engine, job.refused)
      : outcomeOf(watch.run, exit, stopped && job.refused === undefined, job.isSecond);
    await conclude(engine, watch, { outcome, exit, problem, lease });
  } catch (error) {
    // A job that may be alive is not abandoned by an outcome; before it started, any trouble is one.
    if (watch.signal.aborted || watch.run.status === 'running' || isErrandError(error, 'run/fenced')) throw error;
    // An error that our own ending of the run provoked is that ending.
    await conclude(engine, watch, { outcome: watch.run.cause ?? errored(engine, error) });
  }
}
