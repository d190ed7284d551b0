// Carries a plan out. Every step looks again: what is the job's version already is done, what is no longer as it went in
// is a conflict. So it may be stopped anywhere and begun again.
import { readdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { SyncConflict } from '../../model/run.ts';
import { keepBeside } from './beside.ts';
import { decide } from './compare.ts';
import { look } from './look.ts';
import { codeOf, create, remove, replace, StageDamaged, Taken } from './place-file.ts';
import type { Target } from './place-file.ts';
import type { Plan, Step } from './plan.ts';
import { plainMode, same } from './version.ts';

export interface Applied {
  readonly written: number;
  readonly deleted: number;
  readonly conflicts: readonly SyncConflict[];
  /** One line for each path that the file system refused. */
  readonly failures: readonly string[];
}

type Done = 'written' | 'deleted' | 'nothing' | SyncConflict;

export async function applyPlan(target: Target, plan: Plan, signal: AbortSignal): Promise<Applied> {
  const conflicts: SyncConflict[] = plan.unsafe.map((path) => ({ path, why: 'unsafe' }));
  const failures: string[] = [];
  const counts = { written: 0, deleted: 0, nothing: 0 };
  for (const step of plan.steps) {
    signal.throwIfAborted();
    try {
      const done = await untilUndisturbed(() => carryOut(target, step));
      if (typeof done === 'string') counts[done] += 1;
      else conflicts.push(done);
    } catch (error) {
      failures.push(`${step.path}: ${refusal(target, error)}`);
    }
  }
  for (const step of plan.steps) if (step.planned === 'delete') await pruneAbove(target, step.path);
  return { written: counts.written, deleted: counts.deleted, conflicts, failures };
}

/** Somebody may write here at the same moment: then it is looked at anew, as often as that happens within reason. */
async function untilUndisturbed(work: () => Promise<Done>): Promise<Done> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Taken) || attempt === 20) throw error;
    }
  }
}

async function carryOut(target: Target, step: Step): Promise<Done> {
  const { path, base, remote, planned } = step;
  // Both sides had come to the same by themselves; whatever is there now is the person's, or ours for another step.
  if (planned === 'same') return 'nothing';
  const looked = await look(target.root, path);
  const { version: local, stats, blocked } = { stats: undefined, ...looked };
  if (!remote) {
    // A directory in the place of a file that was to go is one that we made there before we were interrupted.
    const gone = local === undefined || (planned === 'delete' && local.kind === 'directory');
    if (gone) return planned === 'delete' ? 'deleted' : 'nothing';
    if (!stats || !same(local, base)) return { path, why: 'deleted-there' };
    await remove(target, path, stats);
    return 'deleted';
  }
  const mode = modeFor(step);
  if (blocked !== undefined) return { path, why: 'in-the-way', kept: await keepBeside(target, path, blocked, remote, mode) };
  const decision = decide({ base, remote, local });
  if (decision === 'same') return planned === 'write' ? 'written' : 'nothing';
  if (decision === 'write') {
    if (local === undefined || (local.kind === 'directory' && (await removeEmpty(target, path)))) {
      await create(target, path, path, remote, mode);
      return 'written';
    }
    if (local.kind !== 'directory' && stats) {
      await replace(target, path, remote, mode, stats);
      return 'written';
    }
  }
  const why = decision === 'write' || decision === 'delete' ? 'in-the-way' : decision;
  return { path, why, kept: await keepBeside(target, path, path, remote, mode) };
}

/** What was read-only stays so: the job got it writable only because it had to. */
function modeFor({ base, remote }: Step): number {
  if (remote?.kind !== 'file') return 0o777;
  return (base?.kind === 'file' && plainMode(base) === plainMode(remote) ? base.mode : remote.mode) | 0o400;
}

/** False, and nothing removed, when there is anything but directories in it. */
async function removeEmpty(target: Target, path: string): Promise<boolean> {
  const directories = onlyDirectories(join(target.root, path));
  if (!directories) return false;
  for (const directory of directories) {
    await target.step(`rmdir ${directory}`);
    if (!tryRmdir(directory)) return false;
  }
  return true;
}

/** It and those in it, deepest first; undefined when there is anything else. Node's own recursive listing follows links. */
function onlyDirectories(directory: string): string[] | undefined {
  const found: string[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const inner = entry.isDirectory() ? onlyDirectories(join(directory, entry.name)) : undefined;
    if (!inner) return undefined;
    found.push(...inner);
  }
  return [...found, directory];
}

/** Directories that our deletions left empty go too, as they do in git. */
async function pruneAbove(target: Target, path: string): Promise<void> {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const { version } = await look(target.root, above);
    if (version === undefined) continue;
    if (version.kind !== 'directory' || !tryRmdir(join(target.root, above))) return;
    await target.step(`pruned ${above}`);
  }
}

function tryRmdir(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

function refusal(target: Target, error: unknown): string {
  if (error instanceof StageDamaged) throw error;
  if (error instanceof Taken) return 'something else keeps writing to it';
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    throw new ErrandError('disk/full', `cannot sync back into ${target.root}: the disk is full`, {
      next: 'Free some space there.',
      cause: error,
    });
  }
  const known: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the disk is read-only',
  };
  return known[code] ?? code;
}
