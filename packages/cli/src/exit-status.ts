// The one place where an end becomes an exit status; README.md has the table.
import type { Outcome } from '@errand/core';
import { constants } from 'node:os';

/** A step of an apply, or a part of a clean-up, failed; the others were done. */
export const STEP_FAILED = 1;
/** `infra plan --detailed-exitcode` with changes, `infra drift` with drift. */
export const CHANGES = 2;
export const TIMED_OUT = 124;
/** Errand could not do it: usage, config, a refused request, an errored or lost run. */
export const FAILED = 125;
export const CANCELLED = 130;

/** `problem` is what went wrong around the command, such as files that could not be collected. */
export function exitStatus(outcome: Outcome, problem?: string): number {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 && problem !== undefined ? FAILED : outcome.code;
    case 'signalled':
      return 128 + signalNumber(outcome.signal);
    case 'cancelled':
      return CANCELLED;
    case 'timed-out':
      return TIMED_OUT;
    case 'lost':
    case 'errored':
      break;
  }
  return FAILED;
}

function signalNumber(name: string): number {
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  // Real-time signals have numbers only: `SIG35`.
  return numbers[name] ?? Number(/^SIG(\d+)$/.exec(name)?.[1] ?? 0);
}
