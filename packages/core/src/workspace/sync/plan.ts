// What is to be done to the workspace, decided once and written down before the first file is touched. Going through it
// again after a crash therefore counts, and reports, what was done before the crash too.
import { decide } from './compare.ts';
import type { Decision } from './compare.ts';
import { epochsOf, planFile, stageDirectory } from './layout.ts';
import { look } from './look.ts';
import type { Looked } from './look.ts';
import { readRecords, writeRecords } from './records.ts';
import type { Change, Staged } from './stage.ts';

export interface Step extends Change {
  readonly planned: Decision;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly ignored: number;
  readonly unsafe: readonly string[];
}

export async function planSync(root: string, staged: Staged): Promise<Plan> {
  const steps: Step[] = [];
  const going = new Set<string>();
  // Deletions first: a file that goes makes room for a directory of its name.
  const ordered = [...staged.changes.filter((one) => !one.remote), ...staged.changes.filter((one) => one.remote)];
  for (const change of ordered) {
    // What cannot be looked at is told when its turn comes, with the reason.
    const looked: Looked = await look(root, change.path).catch(() => ({ version: undefined }));
    const inTheWay = looked.blocked !== undefined && change.remote !== undefined && !going.has(looked.blocked);
    const planned = inTheWay ? 'in-the-way' : decide({ ...change, local: looked.version });
    if (planned === 'delete') going.add(change.path);
    steps.push({ ...change, planned });
  }
  return { steps, ignored: staged.ignored, unsafe: staged.unsafe };
}

export async function writePlan(stage: string, { steps, ...rest }: Plan): Promise<void> {
  await writeRecords(planFile(stage), [rest, ...steps]);
}

/** The latest that is whole, and the stage that it belongs to. */
export async function findPlan(directory: string): Promise<{ readonly plan: Plan; readonly stage: string } | undefined> {
  for (const epoch of await epochsOf(directory, 'stage')) {
    const stage = stageDirectory(directory, epoch);
    const records = await readRecords(planFile(stage));
    if (!records) continue;
    const [rest, ...steps] = records as [Omit<Plan, 'steps'>, ...Step[]];
    return { plan: { ...rest, steps }, stage };
  }
  return undefined;
}
