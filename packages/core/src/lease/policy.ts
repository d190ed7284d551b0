// Whether a place lives on after a run. Pure: everything that decides is an argument.
import type { Lease, LeaseSpec } from '../model/lease.ts';
import type { Run, RunSpec } from '../model/run.ts';

export type Ended = Pick<Run, 'outcome' | 'startedAt'> & { readonly spec: Pick<RunSpec, 'lease' | 'setup'> };
type Held = Pick<Lease, 'status' | 'provisioning'> & { readonly spec: Pick<LeaseSpec, 'setup'> };

/**
 * A standing lease that the run was sent to is not the run's to release. A reused place must be one that the next run
 * can trust; a kept one must be worth looking at.
 */
export function afterRun(run: Ended, lease: Held): 'park' | 'release' {
  const { spec, outcome } = run;
  if (spec.lease !== undefined) return 'park';
  if (lease.status !== 'active' || !isProvisioned(lease)) return 'release';
  const policy = spec.setup?.policy ?? 'fresh';
  if (policy === 'reuse') return outcome && isTrusted(outcome.kind) ? 'park' : 'release';
  return policy === 'keep-on-failure' && isWorthALook(run) ? 'park' : 'release';
}

/** After these the job is proven gone and the place answered to the end. */
function isTrusted(kind: NonNullable<Ended['outcome']>['kind']): boolean {
  return kind === 'exited' || kind === 'signalled' || kind === 'cancelled' || kind === 'timed-out';
}

/**
 * Something ran there and failed by itself. Whoever cancels knows why, and a lost job has most likely taken its place
 * along; a run that never started has left nothing to see.
 */
function isWorthALook({ outcome, startedAt }: Ended): boolean {
  if (!outcome || startedAt === undefined) return false;
  if (outcome.kind === 'exited') return outcome.code !== 0;
  return outcome.kind === 'signalled' || outcome.kind === 'timed-out' || outcome.kind === 'errored';
}

export function isProvisioned(lease: Omit<Held, 'status'>): boolean {
  return (lease.provisioning?.done ?? 0) >= (lease.spec.setup?.provision.length ?? 0);
}

/** An idle lease is renewed as soon as it is taken; it must last until then, however slow the far side is. */
export function mustLastUntil(now: number, ttl: number): number {
  return now + Math.min(30_000, ttl / 4);
}
