// What Errand keeps of a run that is to be synced back, below its data directory:
//
//   sync/<run>/baseline-<epoch>.jsonl   what went in; there before the job starts
//   sync/<run>/stage-<epoch>/tree/…     files that the job changed
//   sync/<run>/stage-<epoch>/plan.jsonl what is to be done; appears when the stage is complete
//
// Every watcher writes under its own epoch, so one that was fenced and does not know it yet disturbs nobody. The highest
// epoch counts: a baseline follows a realize, and a fenced watcher's realize is refused. All of it goes before the run closes.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const syncDirectory = (home: string, run: string) => join(home, 'sync', run);
export const baselineFile = (directory: string, epoch: number) => join(directory, `baseline-${epoch}.jsonl`);
export const stageDirectory = (directory: string, epoch: number) => join(directory, `stage-${epoch}`);
export const planFile = (stage: string) => join(stage, 'plan.jsonl');
export const stagedTree = (stage: string) => join(stage, 'tree');

/** Highest first. */
export async function epochsOf(directory: string, what: 'baseline' | 'stage'): Promise<readonly number[]> {
  const names = await readdir(directory).catch(() => []);
  return names
    .map((name) => /^(baseline|stage)-(\d+)(\.jsonl)?$/.exec(name))
    .filter((match) => match?.[1] === what)
    .map((match) => Number(match?.[2]))
    .toSorted((a, b) => b - a);
}
