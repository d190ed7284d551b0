import { existsSync } from 'node:fs';
import { isErrandError } from '@errand/contract';
import type { Ask, JobExit, Ref } from '@errand/contract';
import type { Container } from './client.ts';
import type { Engines } from './engines.ts';
import { cancelledFile, deadlineOf, exitOf, isEnded, isUnstarted, locate, look, mayBeSignal, stopsOf } from './job.ts';
import type { LocatedJob } from './job.ts';
import { label, nameOf } from './layout.ts';
import { pause } from './pause.ts';
import { observeInside } from './standing/wait.ts';
import { othersLimit } from './start.ts';

/** An engine that restarts is back within this; after it the caller hears that it cannot be asked. */
const patience = 30_000;
/** A connection can die without a word, so a long wait is begun anew. */
const askAgain = 30_000;

/** The signal ends the waiting, never the job. */
export async function wait(engines: Engines, ref: Ref<'job'>, ask: Ask): Promise<JobExit> {
  const job = await locate(engines, ref, ask.signal);
  if (!job) return existsSync(cancelledFile(engines.home, nameOf(ref.key))) ? cancelled : neverWas(ref.key);
  const watched = job.inside ? observeInside : observe;
  let quiet = 0;
  let gone: number | undefined;
  let unstarted: { readonly id: string; readonly since: number } | undefined;
  for (;;) {
    ask.signal.throwIfAborted();
    try {
      const seen = await watched(engines, job, ask);
      if (seen && 'kind' in seen) return seen;
      if (!seen || !isUnstarted(seen)) unstarted = undefined;
      else if (unstarted?.id !== seen.id) unstarted = { id: seen.id, since: Date.now() };
      else if (Date.now() - unstarted.since > othersLimit) await job.engine.removeContainer(seen.id, false, ask.signal);
      gone = undefined;
      quiet = Math.min(quiet + 20, 500);
    } catch (error) {
      ask.signal.throwIfAborted();
      if (!isErrandError(error) || error.retry !== 'later') throw error;
      gone ??= Date.now();
      if (Date.now() - gone > patience) throw error;
      quiet = Math.min(quiet * 2 + 50, 2_000);
    }
    await pause(quiet, ask.signal);
  }
}

const cancelled: JobExit = { kind: 'signalled', signal: 'SIGTERM' };
const neverWas = (key: string): JobExit => ({ kind: 'lost', evidence: `no engine that was ever used has the job ${key}` });

/** The container when it is worth looking again: it has not begun, or the waiting was cut short. */
async function observe(engines: Engines, job: LocatedJob, ask: Ask): Promise<JobExit | Container> {
  const first = await look(job.engine, job.name, ask.signal);
  if (first && !isEnded(first) && !isUnstarted(first)) await untilChange(job, first, ask.signal);
  const container = first && isEnded(first) ? first : await look(job.engine, job.name, ask.signal);
  if (!container) return withoutContainer(engines, job, ask);
  if (!isEnded(container)) return container;
  return exitOf(container, mayBeSignal(container) ? await stopsOf(engines, job, ask.signal) : new Set());
}

/** A stop removes a container that never began; anything else that does so is not ours. */
async function withoutContainer(engines: Engines, job: LocatedJob, ask: Ask): Promise<JobExit> {
  const stops = await stopsOf(engines, job, ask.signal);
  if (stops.size > 0) return stops.has('ask') ? cancelled : { kind: 'signalled', signal: 'SIGKILL' };
  const evidence = `the engine at ${job.engine.address} has no container ${job.name}: it was never started, somebody removed it, or its place was released`;
  return { kind: 'lost', evidence };
}

/** Resolves when the job has ended, its time is up (then it is ended), or the connection was used long enough. */
async function untilChange(job: LocatedJob, container: Container, signal: AbortSignal): Promise<void> {
  const deadline = deadlineOf(container);
  const left = deadline === undefined ? askAgain : deadline - Date.now();
  if (left <= 0) await end(job, container, deadline ?? 0, signal);
  const enough = AbortSignal.timeout(Math.max(20, Math.min(askAgain, left <= 0 ? 200 : left)));
  try {
    await job.engine.waitForContainer(container.id, AbortSignal.any([signal, enough]));
  } catch {
    // Whatever it was, looking at the container tells more.
    signal.throwIfAborted();
  }
}

/** The profile's time limit: ask, grace, force. The engine has no such thing, so whoever waits sees to it. */
async function end(job: LocatedJob, container: Container, deadline: number, signal: AbortSignal): Promise<void> {
  const grace = Number(container.labels[label.grace]) || 0;
  const how = Date.now() < deadline + grace ? 'SIGTERM' : 'SIGKILL';
  await job.engine.killContainer(container.id, how, signal).catch(() => signal.throwIfAborted());
}
