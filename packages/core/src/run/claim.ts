// Who may watch a run. One watcher at a time: a claim has an epoch, and every write carries it.
import type { Engine } from '../engine/types.ts';
import type { Run } from '../model/run.ts';

/** True when the run has no living watcher: it let go, it is proven dead, or it was silent for too long. */
export function isOrphan(engine: Pick<Engine, 'ports'>, run: Run): boolean {
  if (run.status === 'closed') return false;
  if (!run.holder) return true;
  return run.heldUntil < engine.ports.clock.now() || engine.ports.identity.isDead(run.holder);
}

/** Undefined when somebody else was quicker. */
export function claim(engine: Pick<Engine, 'ports' | 'store' | 'settings'>, run: Run): Promise<Run | undefined> {
  const now = engine.ports.clock.now();
  return engine.store.claimRun(run.id, run.epoch, engine.ports.identity.self, now + engine.settings.claimFor, now);
}
