// Giving a place back cannot fail, it can only owe: a lease that could not be released stays `releasing` with the
// problem and the time of the next try, and `sweep.ts` pays.
import { isErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Lease } from '../model/lease.ts';
import type { Writes } from '../store/port.ts';
import { backoff } from '../providers/retry.ts';

const ended = (lease: Lease) => lease.status === 'released';

/** Resolves to the lease as it is then. Throws only when the store cannot be written, or when we are fenced. */
export async function releaseLease(engine: Engine, lease: Lease, event: 'release' | 'expire'): Promise<Lease> {
  if (ended(lease)) return lease;
  const now = engine.ports.clock.now();
  const releasing = lease.status === 'releasing' ? lease : await engine.store.advanceLease(lease.id, lease.epoch, event, {}, now);
  return payLease(engine, releasing);
}

/** One try at a lease that is `releasing` already. What goes with its success is written in the same transaction. */
export async function payLease(engine: Engine, lease: Lease, alongside?: (tx: Writes) => Promise<void>): Promise<Lease> {
  const { store, ports } = engine;
  try {
    await releasePlace(engine, lease);
  } catch (error) {
    if (isErrandError(error, 'provider/fenced')) throw error;
    const attempts = lease.attempts + 1;
    const wait = backoff(ports.random, { first: engine.settings.insistEvery, most: 5 * 60_000 }, attempts);
    const problem = engine.redact(error instanceof Error ? error.message : String(error));
    const now = ports.clock.now();
    return store.advanceLease(lease.id, lease.epoch, 'refused', { attempts, retryAt: now + wait, problem }, now);
  }
  const now = ports.clock.now();
  return store.transaction(async (tx) => {
    await alongside?.(tx);
    return tx.advanceLease(lease.id, lease.epoch, 'confirmed', { endedAt: now, problem: undefined, run: undefined }, now);
  });
}

async function releasePlace(engine: Engine, lease: Lease): Promise<void> {
  const provider = await engine.providers.open(lease.spec.provider, lease.spec.options);
  const ref = { key: lease.id, ...(lease.place && { handle: lease.place }) };
  // Cleaning up does not inherit anybody's cancellation; the guard's deadline bounds it.
  const { signal } = new AbortController();
  await provider.host?.release(ref, { key: lease.id, epoch: lease.epoch, signal, log: engine.log });
}
