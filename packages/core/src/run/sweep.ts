import type { Engine } from '../engine/types.ts';
import type { SweepLine, SweepReport } from '../lease/report.ts';
import { sweepLeases } from '../lease/sweep.ts';
import type { Run } from '../model/run.ts';
import { orphans, recoverRun } from './recover.ts';

/** Runs first: they know what to do with their leases. */
export async function sweep(engine: Engine, dryRun: boolean, leave: AbortSignal): Promise<SweepReport> {
  const found = await orphans(engine);
  const runs = await Promise.all(found.map((run) => sweepRun(engine, run, dryRun, leave)));
  return { lines: [...runs, ...(await sweepLeases(engine, dryRun))] };
}

async function sweepRun(engine: Engine, run: Run, dryRun: boolean, leave: AbortSignal): Promise<SweepLine> {
  const because = `it was ${run.status} and had no watcher`;
  const line = { subject: 'run', id: run.id } as const;
  if (dryRun) return { ...line, did: 'would-finish', because };
  const patience = new AbortController();
  const enough = AbortSignal.any([leave, patience.signal]);
  void engine.ports.clock.sleep(engine.settings.sweepPatience, enough).then(() => patience.abort(new Error('still going')));
  try {
    const closed = await recoverRun(engine, run, enough);
    return closed ? { ...line, did: 'finished', because } : { ...line, did: 'left', because: 'another process took it over' };
  } catch (error) {
    if (patience.signal.aborted)
      return { ...line, did: 'left', because: `its job is still going; attend it with: errand wait ${run.id}` };
    return { ...line, did: 'failed', because: engine.redact(error instanceof Error ? error.message : String(error)) };
  } finally {
    patience.abort();
  }
}
