import type { Engine } from '../engine/types.ts';
import { releaseLease } from '../lease/release.ts';
import type { Run } from '../model/run.ts';
import type { Watch } from './watch.ts';

/** The place goes back: one of our own is released, a standing one is idle again. What could not be released is owed. */
export async function giveBack(engine: Engine, watch: Watch): Promise<void> {
  const lease = watch.run.lease === undefined ? undefined : await engine.store.lease(watch.run.lease);
  if (!lease || lease.run !== watch.id) return;
  if (watch.run.spec.lease === undefined) {
    const released = await releaseLease(engine, lease, 'release');
    if (released.status === 'releasing') engine.log(`${lease.id} is not proven released yet: ${released.problem ?? 'no answer'}`);
  } else if (lease.status === 'active') {
    await engine.store.advanceLease(lease.id, lease.epoch, 'park', { run: undefined }, engine.ports.clock.now());
  }
}

export async function closeRun(engine: Engine, watch: Watch): Promise<Run> {
  const now = engine.ports.clock.now();
  watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'close', { closedAt: now }, now);
  return watch.run;
}
