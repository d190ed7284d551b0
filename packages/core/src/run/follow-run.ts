import { ErrandError, isErrandError } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Engine } from '../engine/types.ts';
import type { Run } from '../model/run.ts';
import { claim, isOrphan } from './claim.ts';
import { execute } from './execute.ts';

/** Resolves when the run is closed, by whoever watches it; takes it over whenever it has no living watcher. */
export async function followRun(engine: Engine, id: string, leave: AbortSignal): Promise<Run> {
  for (;;) {
    leave.throwIfAborted();
    const run = await engine.store.run(id);
    if (!run) throw new ErrandError('run/unknown', `there is no run ${id}`);
    if (run.status === 'closed') return run;
    const mine = isOrphan(engine, run) ? await claim(engine, run) : undefined;
    if (mine) {
      const closed = await unlessFenced(attendRun(engine, mine, leave));
      if (closed) return closed;
    } else await nextChange(engine, run, leave);
  }
}

/** Watches a claimed run; whatever keeps us from going on, the claim is let go so that the next one need not wait. */
export async function attendRun(engine: Engine, claimed: Run, leave: AbortSignal): Promise<Run> {
  try {
    return await execute(engine, claimed, leave);
  } catch (error) {
    await engine.store.letGoRun(claimed.id, claimed.epoch).catch(() => {});
    throw error;
  }
}

/** Undefined when another watcher took the run from us: then it is followed. */
export async function unlessFenced(watching: Promise<Run>): Promise<Run | undefined> {
  try {
    return await watching;
  } catch (error) {
    if (isErrandError(error) && error.code.endsWith('/fenced')) return undefined;
    throw error;
  }
}

/** Until the store changes, the watcher's claim may have run out, or a short while has passed. */
async function nextChange(engine: Engine, run: Run, leave: AbortSignal): Promise<void> {
  const changed = new AbortController();
  using _watch = engine.store.watch(() => changed.abort(quietly));
  const wait = Math.min(1_000, Math.max(20, run.heldUntil - engine.ports.clock.now()));
  await engine.ports.clock.sleep(wait, AbortSignal.any([changed.signal, leave]));
}
