// Bringing a job's changes back into the directory that its workspace came from: fetch what changed into a stage, decide
// and write the plan down, carry it out. A fresh process goes on from whichever of these is complete.
import { realpath, rm, stat } from 'node:fs/promises';
import { ErrandError } from '@errand/contract';
import type { TreeEntry } from '@errand/contract';
import { relativeTo } from '../list.ts';
import { applyPlan } from './apply.ts';
import type { Applied } from './apply.ts';
import { readBaseline } from './baseline.ts';
import { openIgnoreRules } from './ignored.ts';
import { stagedTree, stageDirectory } from './layout.ts';
import { StageDamaged } from './place-file.ts';
import type { Target } from './place-file.ts';
import { findPlan, planSync, writePlan } from './plan.ts';
import type { Plan } from './plan.ts';
import { stageChanges } from './stage.ts';

export interface SyncOptions {
  /** `layout.ts` says what is in it. */
  readonly directory: string;
  readonly workspace: string;
  readonly run: string;
  readonly epoch: number;
  /** Paths that never belong to a workspace. */
  readonly exclude: readonly string[];
  readonly signal: AbortSignal;
  /** All files of the workspace as the job left them. Called only when they have not been fetched yet. */
  readonly collect: () => AsyncIterable<TreeEntry>;
  /** Throws when we are no longer the one to do it. Asked once, before the first file is touched. */
  readonly stillOurs: () => Promise<void>;
  readonly step?: Target['step'];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Synced extends Applied {
  readonly ignored: number;
}

/** Repeating it after a crash gives the same files and the same report. */
export async function syncFiles(options: SyncOptions): Promise<Synced> {
  const root = await realpath(options.workspace).catch(() => options.workspace);
  for (let attempt = 1; ; attempt++) {
    const { plan, stage } = (await findPlan(options.directory)) ?? (await stageAndPlan(root, options));
    options.signal.throwIfAborted();
    await options.stillOurs();
    await checkDirectory(root);
    const { run, epoch } = options;
    const target = { root, tree: stagedTree(stage), run, epoch, step: options.step ?? (() => {}) };
    try {
      return { ...(await applyPlan(target, plan, options.signal)), ignored: plan.ignored };
    } catch (error) {
      if (!(error instanceof StageDamaged) || attempt > 1) throw error;
      await rm(stage, { recursive: true, force: true });
    }
  }
}

async function stageAndPlan(root: string, options: SyncOptions): Promise<{ readonly plan: Plan; readonly stage: string }> {
  const stage = stageDirectory(options.directory, options.epoch);
  // Without one (the files went in from another machine) nothing is taken for deleted, and whatever differs is a conflict.
  const base = (await readBaseline(options.directory)) ?? new Map();
  const excluded = await relativeTo(root, options.workspace, options.exclude);
  await using rules = await openIgnoreRules({ root, excluded, env: options.env ?? process.env });
  const { signal } = options;
  const leavesOut = (path: string) => rules.leavesOut(path);
  const staged = await stageChanges(options.collect(), { tree: stagedTree(stage), base, leavesOut, signal });
  const plan = await planSync(root, staged);
  await writePlan(stage, plan);
  return { plan, stage };
}

/** After the stage: what the job made is safe by then, whatever has become of the directory meanwhile. */
async function checkDirectory(root: string): Promise<void> {
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new ErrandError('workspace/failed', `${root} is not a directory any more`);
}
