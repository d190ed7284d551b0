import { isErrandError } from '@errand/contract';
import type { JobExit } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Outcome, Run } from '../model/run.ts';
import type { Watch } from './watch.ts';

/** Sets the outcome, once. What the job printed is already kept by then. */
export async function conclude(engine: Engine, watch: Watch, outcome: Outcome, exit?: JobExit, problem?: string): Promise<void> {
  const now = engine.ports.clock.now();
  const patch = {
    outcome,
    endedAt: exit?.endedAt ?? now,
    // Whatever stood in the way before is over.
    problem,
    ...(exit?.startedAt !== undefined && { startedAt: exit.startedAt }),
  };
  watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'end', patch, now);
}

/** The first cause wins, unless the job had ended by itself before anything was sent to it. */
export function outcomeOf(run: Run, exit: JobExit, stopped: boolean): Outcome {
  if (run.cause && (stopped || exit.kind === 'lost')) return run.cause;
  switch (exit.kind) {
    case 'exited':
      return { kind: 'exited', code: exit.code };
    case 'signalled':
      return { kind: 'signalled', signal: exit.signal };
    case 'timed-out':
      return { kind: 'timed-out', after: 'running' };
    case 'lost':
      return { kind: 'lost', evidence: exit.evidence };
    case 'errored':
      return { kind: 'errored', reason: exit.reason, code: `job/${exit.reason}`, message: exit.message };
  }
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
