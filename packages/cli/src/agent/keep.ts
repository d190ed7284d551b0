// What the agent does for a job that was started, whether its client lives or not: it waits for the end, frees the slot,
// and ends the job at its time limit where the provider does not.
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrandError } from '@errand/contract';
import type { Ask, Ref, Runner } from '@errand/contract';

export interface KeptJob {
  readonly ref: Ref<'job'>;
  /** Milliseconds from now; absent when nobody needs to see to it. */
  readonly timeout?: number;
  readonly grace: number;
  /** The newest epoch that is known for its place. */
  readonly epoch: () => number;
}

const askAgainAfter = 1_000;

/** Resolves when the job is gone, or when `signal` fires: the job then goes on, and the next agent keeps it. */
export async function keepJob(runner: Runner, job: KeptJob, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const ended = waitFor(runner, job.ref, signal).finally(() => over.abort());
  const limit =
    job.timeout === undefined ? undefined : endInTime(runner, job, job.timeout, AbortSignal.any([signal, over.signal]));
  await Promise.all([ended, limit]);
}

async function waitFor(runner: Runner, ref: Ref<'job'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await runner.wait(ref, silent(signal));
      return;
    } catch (error) {
      if (isErrandError(error) && error.retry === 'never') return;
      await pause(askAgainAfter, signal);
    }
  }
}

async function endInTime(runner: Runner, job: KeptJob, timeout: number, signal: AbortSignal): Promise<void> {
  await pause(timeout, signal);
  for (let how: 'ask' | 'force' = 'ask'; !signal.aborted; how = 'force') {
    try {
      await runner.stop(job.ref, how, { ...silent(signal), key: `${job.ref.key}-limit-${how}`, epoch: job.epoch() });
    } catch {
      // It is told again until whoever waits for it says that it is gone.
    }
    await pause(how === 'ask' ? job.grace : askAgainAfter, signal);
  }
}

const silent = (signal: AbortSignal): Ask => ({ signal, log: () => undefined });

/** Longer than the longest timer, a job outlives the agent. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal }).catch(() => undefined);
}
