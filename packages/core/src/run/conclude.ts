import { isErrandError } from '@errand/contract';
import type { JobExit } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import { afterRun } from '../lease/policy.ts';
import type { Lease } from '../model/lease.ts';
import type { Outcome, Run, RunPatch, RunSpec } from '../model/run.ts';
import type { Reads, Writes } from '../store/port.ts';
import type { Watch } from './watch.ts';

export interface Ending {
  readonly outcome: Outcome;
  readonly exit?: JobExit;
  /** What is wrong with the captured log, if anything. */
  readonly problem?: string | undefined;
  /** The run's lease, when nothing more is wanted of its place. */
  readonly lease?: Lease;
}

/** Sets the outcome, once. What the job printed is already kept by then. */
export async function conclude(engine: Engine, watch: Watch, { outcome, exit, problem, lease }: Ending): Promise<void> {
  const now = engine.ports.clock.now();
  const patch = {
    outcome,
    endedAt: exit?.endedAt ?? now,
    // Whatever stood in the way before is over.
    problem,
    ...(exit?.startedAt !== undefined && { startedAt: exit.startedAt }),
  };
  watch.run = await engine.store.transaction(async (tx) => {
    if (lease && !wantsFiles(watch.run.spec)) await letGo(tx, watch, patch, lease, now);
    return tx.advanceRun(watch.id, watch.epoch, 'end', patch, now);
  });
}

/** Something is still to be fetched from the place. */
const wantsFiles = (spec: RunSpec) => spec.collect.length > 0 || spec.syncBack === true;

/** With the outcome goes the intent to release: one write less on the way out. A lease that lives on is left alone. */
async function letGo(tx: Reads & Writes, watch: Watch, ending: RunPatch, seen: Lease, now: number): Promise<void> {
  const lease = await tx.lease(seen.id);
  if (lease?.status !== 'active' || lease.run !== watch.id || lease.epoch !== seen.epoch) return;
  if (afterRun({ ...watch.run, ...ending }, lease) === 'park') return;
  await tx.advanceLease(lease.id, lease.epoch, 'release', {}, now);
}

/** The first cause wins, unless the job had ended by itself before anything was sent to it. */
export function outcomeOf(run: Run, exit: JobExit, stopped: boolean, isSecond = false): Outcome {
  if (run.cause && (stopped || exit.kind === 'lost')) return run.cause;
  switch (exit.kind) {
    case 'exited':
      return { kind: 'exited', code: exit.code };
    case 'signalled':
      // Nobody wanted it ended, and yet it was before it began: a watcher who could not start it made sure that it never will.
      if (isSecond && run.cause === undefined && exit.startedAt === undefined) return notStarted;
      return { kind: 'signalled', signal: exit.signal };
    case 'timed-out':
      return { kind: 'timed-out', after: 'running' };
    case 'lost':
      return { kind: 'lost', evidence: exit.evidence };
    case 'errored':
      return { kind: 'errored', reason: exit.reason, code: `job/${exit.reason}`, message: exit.message };
  }
}

const notStarted: Outcome = {
  kind: 'errored',
  reason: 'internal',
  code: 'run/not-started',
  message: 'whoever watched it first could not start it, and could not write down why',
  next: 'Run it again.',
};

/** Some platforms tell an end by signal n as exit 128+n, so only below that it is surely the job's own. */
export function endedByItself(exit: JobExit): boolean {
  return exit.kind === 'exited' && exit.code < 128;
}

/** Trouble before the job could run. */
export function errored(engine: Pick<Engine, 'redact'>, error: unknown): Outcome {
  if (isErrandError(error)) {
    const next = error.next === undefined ? {} : { next: engine.redact(error.next) };
    return { kind: 'errored', reason: error.reason, code: error.code, message: engine.redact(error.message), ...next };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'errored', reason: 'internal', code: 'internal/bug', message: engine.redact(text) };
}
