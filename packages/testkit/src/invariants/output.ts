import type { Run } from '@errand/core';
import { diedAlone } from './outcome.ts';
import type { World, WorldJob } from './world.ts';

/** Every byte once and in order. A place that died takes along what was not read yet, so there a beginning is enough. */
export function outputIsWhole(world: World): string[] {
  const jobs = new Map(world.jobs.map((job) => [job.key, job]));
  return world.runs.flatMap((run) => (run.status === 'closed' ? differences(world, run, jobs.get(run.id)) : []));
}

function differences(world: World, run: Run, job: WorldJob | undefined): string[] {
  const mayMiss = diedAlone(world, run) || run.outcome?.kind === 'errored';
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const said = job?.output[stream] ?? '';
    const kept = world.captured.get(run.id)?.[stream] ?? '';
    if (kept === said || (mayMiss && said.startsWith(kept))) return [];
    return [`the ${stream} of ${run.id} has ${kept.length} bytes, its job wrote ${said.length}: ${firstDifference(kept, said)}`];
  });
}

function firstDifference(kept: string, said: string): string {
  let at = 0;
  while (at < kept.length && kept[at] === said[at]) at++;
  return `at byte ${at} it has ${JSON.stringify(kept.slice(at, at + 20))} for ${JSON.stringify(said.slice(at, at + 20))}`;
}
