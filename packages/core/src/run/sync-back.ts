import { rm } from 'node:fs/promises';
import { ErrandError, isErrandError } from '@errand/contract';
import type { TreeEntry } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { SyncReport } from '../model/run.ts';
import { retrying } from '../providers/retry.ts';
import { stagedTree, syncDirectory } from '../workspace/sync/layout.ts';
import { findPlan } from '../workspace/sync/plan.ts';
import { readBaseline } from '../workspace/sync/baseline.ts';
import { syncFiles } from '../workspace/sync/sync.ts';
import type { Synced } from '../workspace/sync/sync.ts';
import { keepLease } from './keep-lease.ts';
import type { Watch } from './watch.ts';

interface Result {
  readonly sync?: SyncReport;
  readonly problem?: string;
}

/**
 * The job's changes go into the directory that its files came from, whatever the job's end was. The place is not given back
 * before that is done and recorded; after a crash it is gone through again.
 */
export async function syncBack(engine: Engine, watch: Watch): Promise<void> {
  const { spec } = watch.run;
  if (!spec.syncBack || spec.workspace === undefined) return;
  const directory = syncDirectory(engine.home, watch.id);
  if (watch.run.sync === undefined && (await mayHaveRun(watch, directory))) {
    const { sync, problem } = await bringBack(engine, watch, spec.workspace, directory);
    // A crash after it was recorded does not make it said twice.
    const told = watch.run.problem;
    const problems = [told, told?.includes(problem ?? '') ? undefined : problem].filter((one) => one !== undefined);
    const patch = { ...(sync && { sync }), ...(problems.length > 0 && { problem: problems.join('; ') }) };
    watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'synced', patch, engine.ports.clock.now());
  }
  if (watch.run.sync?.kept === undefined) await rm(directory, { recursive: true, force: true });
}

/** The baseline is written just before the start, so without it and without a start nothing can have changed. */
async function mayHaveRun(watch: Watch, directory: string): Promise<boolean> {
  return watch.run.startedAt !== undefined || (await readBaseline(directory)) !== undefined;
}

async function bringBack(engine: Engine, watch: Watch, workspace: string, directory: string): Promise<Result> {
  const { signal } = watch;
  try {
    const synced = await retrying(engine.ports, { attempts: 4, first: 500, most: 5_000 }, signal, () =>
      syncFiles({
        directory,
        workspace,
        run: watch.id,
        epoch: watch.epoch,
        exclude: engine.exclude,
        signal,
        collect: () => filesInPlace(engine, watch),
        async stillOurs() {
          await engine.store.beatRun(watch.id, watch.epoch, engine.ports.clock.now() + engine.settings.claimFor);
        },
      }),
    );
    return await reportOf(synced, directory);
  } catch (error) {
    signal.throwIfAborted();
    // Not the job's affair: the run stays as it is, and the next watcher finds the place and the stage as they are.
    if (isErrandError(error) && /^(store|run|disk|home)\//.test(error.code)) throw error;
    const why = engine.redact(error instanceof Error ? error.message : String(error));
    const kept = await stageOf(directory);
    if (kept === undefined) return { problem: `could not sync the changes back: ${why}` };
    const sync = { written: 0, deleted: 0, ignored: 0, conflicts: [], kept };
    return { sync, problem: `could not sync the changes back: ${why}; they are kept in ${kept}` };
  }
}

async function* filesInPlace(engine: Engine, watch: Watch): AsyncGenerator<TreeEntry> {
  const lease = watch.run.lease === undefined ? undefined : await engine.store.lease(watch.run.lease);
  if (!lease?.place || lease.status !== 'active' || lease.run !== watch.id) {
    throw new ErrandError('workspace/failed', 'the place was given up before they were fetched');
  }
  const { host } = await engine.providers.open(lease.spec.provider, lease.spec.options);
  await using _kept = keepLease(engine, watch, lease);
  yield* host?.collect(lease.place, ['.'], { signal: watch.signal, log: engine.log }) ?? [];
}

async function reportOf(synced: Synced, directory: string): Promise<Result> {
  const { failures, ...sync } = synced;
  if (failures.length === 0) return { sync };
  const kept = await stageOf(directory);
  const more = failures.length > 5 ? ` and ${failures.length - 5} more` : '';
  const problem = `could not sync everything back: ${failures.slice(0, 5).join('; ')}${more}; the changes are kept in ${kept}`;
  return { sync: { ...sync, ...(kept !== undefined && { kept }) }, problem };
}

async function stageOf(directory: string): Promise<string | undefined> {
  const found = await findPlan(directory);
  return found && stagedTree(found.stage);
}
