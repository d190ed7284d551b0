import type { Engine } from '../engine/types.ts';
import type { Run } from '../model/run.ts';
import { claim, isOrphan } from './claim.ts';
import { attendRun } from './follow-run.ts';

export async function orphans(engine: Pick<Engine, 'store' | 'ports'>): Promise<readonly Run[]> {
  const open = await engine.store.runs({ open: true });
  return open.filter((run) => isOrphan(engine, run));
}

/** Takes one over and goes on where its watcher stopped. Undefined when somebody else was quicker. */
export async function recoverRun(engine: Engine, run: Run, leave: AbortSignal): Promise<Run | undefined> {
  const mine = await claim(engine, run);
  return mine && attendRun(engine, mine, leave);
}

/** In the background of a running process: finishes what dead ones left behind, until told to leave. */
export async function recoverAll(engine: Engine, leave: AbortSignal): Promise<void> {
  const found = await orphans(engine);
  await Promise.allSettled(
    found.map((run) => {
      if (run.holder) engine.log(`${run.id} lost its watcher; going on with it`);
      return recoverRun(engine, run, leave);
    }),
  );
}
