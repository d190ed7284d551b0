// A run's life. Every status but the last names who picks it up if we die there: `run/recover.ts`, for all of them.
//
//  queued ──lease──▶ leasing ──realize──▶ realizing ──start──▶ running ──end──▶ closing ──close──▶ closed
//     │                 │                     │                                  ▲
//     └─────end─────────┴─────────end─────────┴──────────────────────────────────┘
//
// `end` carries the outcome, which is set once. Self-loops record facts without moving: `lease` in `leasing` is another
// place instead of one that turned out to be gone.
import { ErrandError } from '@errand/contract';

export const runStatuses = {
  queued: { lease: 'leasing', end: 'closing' },
  leasing: { lease: 'leasing', realize: 'realizing', end: 'closing' },
  realizing: { start: 'running', end: 'closing' },
  running: { started: 'running', end: 'closing' },
  closing: { collected: 'closing', synced: 'closing', close: 'closed' },
  closed: {},
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type RunStatus = keyof typeof runStatuses;
export type RunEvent = 'lease' | 'realize' | 'start' | 'started' | 'end' | 'collected' | 'synced' | 'close';

export function nextRunStatus(status: RunStatus, event: RunEvent): RunStatus {
  const to = (runStatuses[status] as Readonly<Partial<Record<RunEvent, RunStatus>>>)[event];
  if (to) return to;
  throw new ErrandError('run/wrong-status', `a run that is ${status} cannot ${event}`);
}
