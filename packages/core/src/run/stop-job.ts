// Ask, grace, force, and force again until the job is proven gone. Never gives up: an end that is not proven is not said.
import type { Engine } from '../engine/types.ts';
import { backoff } from '../providers/retry.ts';
import type { StartedJob } from './start-job.ts';
import type { Watch } from './watch.ts';

/** Waits until the job is to be ended and ends it; resolves when `gone` fires. */
export async function insist(
  engine: Engine,
  watch: Watch,
  job: StartedJob,
  gone: AbortSignal,
): Promise<{ readonly sent: boolean }> {
  const { clock } = engine.ports;
  const over = AbortSignal.any([gone, watch.signal]);
  if (job.refused === undefined) await fires(AbortSignal.any([watch.ending, over]));
  if (over.aborted) return { sent: false };
  if (job.refused === undefined && !watch.forced.aborted) {
    await send(engine, watch, job, 'ask');
    await clock.sleep(watch.run.spec.grace, AbortSignal.any([over, watch.forced]));
  }
  for (let attempt = 1; !over.aborted; attempt++) {
    const problem = await send(engine, watch, job, 'force');
    const wait = backoff(engine.ports.random, { first: engine.settings.insistEvery, most: 60_000 }, attempt);
    await clock.sleep(wait, over);
    if (over.aborted) break;
    await tell(engine, watch, problem ?? `the job was told to end ${attempt} times and is not proven gone`);
  }
  return { sent: true };
}

async function send(engine: Engine, watch: Watch, job: StartedJob, how: 'ask' | 'force'): Promise<string | undefined> {
  try {
    await job.runner.stop(job.ref, how, {
      key: `${watch.id}-${how}`,
      epoch: job.lease.epoch,
      signal: watch.signal,
      log: engine.log,
    });
    return undefined;
  } catch (error) {
    return engine.redact(`the job could not be told to end: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function tell(engine: Engine, watch: Watch, problem: string): Promise<void> {
  try {
    watch.run = await engine.store.noteRun(watch.id, watch.epoch, { problem }, engine.ports.clock.now());
  } catch {
    // Fenced or a store in trouble: the watch finds out by itself, and ending the job does not depend on it.
  }
}

function fires(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
