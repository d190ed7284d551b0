// Cleaning up what crashes left. Removes only what is proven dead: a place is touched when its lease row says that it
// is over, or when there is no row and the place's own expiry has passed. A list may lag, so absence proves nothing.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Lease } from '../model/lease.ts';
import type { Ports } from '../ports.ts';
import type { Reads } from '../store/port.ts';
import { payLease } from './release.ts';
import type { SweepLine } from './report.ts';
import { sweepInventory } from './sweep-inventory.ts';

export async function sweepLeases(engine: Engine, dryRun: boolean): Promise<SweepLine[]> {
  const lines: SweepLine[] = [];
  for (const lease of await engine.store.leases({ open: true })) {
    const line = await sweepLease(engine, lease, dryRun);
    if (line) lines.push(line);
  }
  return [...lines, ...(await sweepInventory(engine, dryRun))];
}

/** Undefined while the lease may be alive. */
export async function sweepLease(engine: Engine, lease: Lease, dryRun: boolean): Promise<SweepLine | undefined> {
  const because = await whyOver(engine.ports, engine.store, lease);
  if (because === undefined) return undefined;
  const line = { subject: 'lease', id: lease.id } as const;
  if (dryRun) return { ...line, did: 'would-release', because };
  try {
    const after = await payLease(engine, lease.status === 'releasing' ? lease : await expire(engine, lease));
    if (after.status === 'released') return { ...line, did: 'released', because };
    return { ...line, did: 'failed', because: after.problem ?? 'not confirmed' };
  } catch (error) {
    if (isErrandError(error, 'lease/held')) return { ...line, did: 'left', because: error.message };
    return { ...line, did: 'failed', because: engine.redact(error instanceof Error ? error.message : String(error)) };
  }
}

/** The write locks the row and the proof is looked at again under the lock: parking and renewing do not change the epoch. */
function expire(engine: Engine, seen: Lease): Promise<Lease> {
  const now = engine.ports.clock.now();
  return engine.store.transaction(async (tx) => {
    const releasing = await tx.advanceLease(seen.id, seen.epoch, 'expire', {}, now);
    const because = await whyOver(engine.ports, tx, { ...releasing, status: seen.status });
    if (because === undefined) throw new ErrandError('lease/held', 'it was given back or renewed meanwhile');
    return releasing;
  });
}

/** The proof that a lease is over; undefined while it may be alive. */
async function whyOver(ports: Ports, store: Reads, lease: Lease): Promise<string | undefined> {
  // Whoever holds a lease for an open run, or will take that run over, gives it back.
  const run = lease.run === undefined ? undefined : await store.run(lease.run);
  if (run && run.status !== 'closed') return undefined;
  if (run) return `its run ${run.id} is closed`;
  if (lease.status === 'releasing') return lease.problem ? `its release is owed: ${lease.problem}` : 'its release is owed';
  if (lease.status === 'pending' && lease.holder && ports.identity.isDead(lease.holder)) return 'whoever asked for it is dead';
  return lease.expiresAt < ports.clock.now() ? `it expired at ${new Date(lease.expiresAt).toISOString()}` : undefined;
}
