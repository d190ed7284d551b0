import { ErrandError } from '@errand/contract';
import type { Handle } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Lease } from '../model/lease.ts';
import { releaseLease } from './release.ts';

/**
 * Asks for the place of a recorded lease: the row was written before, so dying anywhere in here leaves a trace that is
 * found again. Repeating it adopts what an earlier try has made.
 */
export async function acquirePlace(engine: Engine, lease: Lease, signal: AbortSignal): Promise<Handle<'place'> | undefined> {
  const { spec } = lease;
  const provider = await engine.providers.open(spec.provider, spec.options);
  // A job cloud has no standing places: the lease then is the right to run there, and holds nothing.
  if (!provider.host) return undefined;
  return provider.host.acquire(
    {
      owner: engine.store.owner,
      expiresAt: lease.expiresAt,
      resources: spec.resources,
      labels: spec.labels,
      options: spec.options,
      ...(spec.image !== undefined && { image: spec.image }),
      ...(spec.standing && { standing: true }),
    },
    { key: lease.id, epoch: lease.epoch, signal, log: engine.log },
  );
}

/** Takes a pending lease that no run waits for to `idle`; `prepare` makes the place ready and gives the row as it is then. */
export async function bringUp(
  engine: Engine,
  pending: Lease,
  signal: AbortSignal,
  prepare: (lease: Lease, place: Handle<'place'> | undefined) => Promise<Lease>,
): Promise<Lease> {
  const { store, ports } = engine;
  let lease = pending;
  try {
    const place = await acquirePlace(engine, lease, signal);
    lease = await prepare(lease, place);
    const granted = ports.clock.now();
    return await store.transaction(async (tx) => {
      const active = await tx.advanceLease(lease.id, lease.epoch, 'granted', place ? { place } : {}, granted);
      return tx.advanceLease(active.id, active.epoch, 'park', {}, granted);
    });
  } catch (error) {
    // We do not know how far the provider got, so what may be there is released by key, now or by a sweep.
    await releaseLease(engine, pending, 'release').catch(() => {});
    throw error;
  }
}

/** Never shortens. The place is renewed first: a row must not promise more than the far side keeps. */
export async function renewLease(engine: Engine, lease: Lease, expiresAt: number, signal: AbortSignal): Promise<Lease> {
  if (lease.status !== 'active' && lease.status !== 'idle') {
    throw new ErrandError('lease/ended', `cannot renew the lease ${lease.id}: it is ${lease.status}`, {
      next: 'Acquire a new one with `errand lease acquire`.',
    });
  }
  if (lease.place) {
    const provider = await engine.providers.open(lease.spec.provider, lease.spec.options);
    await provider.host?.renew(lease.place, expiresAt, { key: lease.id, epoch: lease.epoch, signal, log: engine.log });
  }
  return engine.store.advanceLease(lease.id, lease.epoch, 'renewed', { expiresAt }, engine.ports.clock.now());
}
