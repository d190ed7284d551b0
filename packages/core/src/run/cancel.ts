import { ErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Run } from '../model/run.ts';
import { followRun } from './follow-run.ts';

export interface Cancelled {
  readonly run: Run;
  /** It had ended before anybody asked. */
  readonly alreadyFinished: boolean;
}

/** Asks, then waits for the proof: resolves when the run is closed. Without a living watcher we do the ending ourselves. */
export async function cancelRun(engine: Engine, id: string, how: 'ask' | 'force', leave: AbortSignal): Promise<Cancelled> {
  const before = await engine.store.run(id);
  if (!before) throw new ErrandError('run/unknown', `there is no run ${id}`);
  const asked = await engine.store.cancelRun(id, how, engine.ports.clock.now());
  const run = await followRun(engine, id, leave);
  return { run, alreadyFinished: asked === undefined };
}
