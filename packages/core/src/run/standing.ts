import type { Engine } from '../engine/types.ts';
import { bringUp } from '../lease/acquire.ts';
import type { Lease, LeaseSpec } from '../model/lease.ts';
import { provision } from './provision.ts';

/** A standing lease, provisioned, and idle until a run takes it. */
export async function acquireLease(engine: Engine, spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
  const { store, ports } = engine;
  const now = ports.clock.now();
  const holder = ports.identity.self;
  const id = `lease-${ports.random.id()}`;
  const pending = await store.openLease({ id, spec, holder, expiresAt: now + spec.ttl, now });
  return raise(engine, pending, signal);
}

/** From `pending` to `idle`. Until then it is released when whoever asked for it dies, so nobody takes it half done. */
export function raise(engine: Engine, pending: Lease, signal: AbortSignal): Promise<Lease> {
  return bringUp(engine, pending, signal, (lease, place) => provision(engine, lease, place, signal));
}
