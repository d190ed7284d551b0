import type { Engine } from '../engine/types.ts';
import { afterRun } from '../lease/policy.ts';
import { payLease } from '../lease/release.ts';
import type { Lease } from '../model/lease.ts';
import type { Run } from '../model/run.ts';
import type { Writes } from '../store/port.ts';
import type { Watch } from './watch.ts';

/** The place goes back: it is released, or idle again when it lives on. What could not be released is owed. */
export async function closeRun(engine: Engine, watch: Watch): Promise<Run> {
  const lease = watch.run.lease === undefined ? undefined : await engine.store.lease(watch.run.lease);
  const close = async (tx: Writes) => {
    const now = engine.ports.clock.now();
    watch.run = await tx.advanceRun(watch.id, watch.epoch, 'close', { closedAt: now }, now);
  };
  if (lease?.run !== watch.id || isOver(lease)) await close(engine.store);
  else if (afterRun(watch.run, lease) === 'park') await park(engine, lease, close);
  else await releaseOwn(engine, lease, close);
  return watch.run;
}

async function releaseOwn(engine: Engine, lease: Lease, close: (tx: Writes) => Promise<void>): Promise<void> {
  const now = engine.ports.clock.now();
  const releasing =
    lease.status === 'releasing' ? lease : await engine.store.advanceLease(lease.id, lease.epoch, 'release', {}, now);
  const after = await payLease(engine, releasing, close);
  if (after.status === 'released') return;
  engine.log(`${lease.id} is not proven released yet: ${after.problem ?? 'no answer'}`);
  await close(engine.store);
}

function park(engine: Engine, lease: Lease, close: (tx: Writes) => Promise<void>): Promise<void> {
  return engine.store.transaction(async (tx) => {
    if (lease.status === 'active') await tx.advanceLease(lease.id, lease.epoch, 'park', {}, engine.ports.clock.now());
    await close(tx);
  });
}

const isOver = (lease: Lease) => lease.status === 'released';
