import { ErrandError } from '@errand/contract';
import { parseDuration } from '../base/duration.ts';
import type { Engine } from '../engine/types.ts';
import { renewLease } from '../lease/acquire.ts';
import { releaseLease } from '../lease/release.ts';
import type { Lease } from '../model/lease.ts';
import { lookUpLease } from './look-up.ts';
import type { LeaseHandle, Runtime } from './sdk.ts';

export function createLeaseHandle(engine: Engine, run: Runtime['run'], first: Lease): LeaseHandle {
  let lease = first;
  let kept = false;
  const fresh = async () => (lease = await lookUpLease(engine.store, first.id));
  const release = async () => {
    await refuseWhileHeld(engine, await fresh());
    return (lease = await releaseLease(engine, lease, 'release'));
  };
  return {
    id: first.id,
    get lease() {
      return lease;
    },
    run: (request) => run({ ...request, lease: first.id }),
    async renew(ttl) {
      const expiresAt = engine.ports.clock.now() + parseDuration(ttl, 'ttl');
      return (lease = await renewLease(engine, await fresh(), expiresAt, new AbortController().signal));
    },
    release,
    keep: () => void (kept = true),
    async [Symbol.asyncDispose]() {
      if (!kept) await release();
    },
  };
}

async function refuseWhileHeld(engine: Engine, lease: Lease): Promise<void> {
  const run = lease.run === undefined ? undefined : await engine.store.run(lease.run);
  if (!run || run.status === 'closed') return;
  throw new ErrandError('lease/held', `cannot release ${lease.id}: ${run.id} is ${run.status} in it`, {
    next: `Wait for it (errand wait ${run.id}) or cancel it (errand cancel ${run.id}) first.`,
  });
}
