import type { JobEnd } from '@errand/contract';
import type { Outcome, Run } from '@errand/core';
import { provisionedLease } from './provision.ts';
import type { World, WorldJob } from './world.ts';

/** Each run is closed exactly once, with one outcome. */
export function runsCloseOnce(world: World): string[] {
  return world.runs.flatMap((run) => {
    const count = (type: string) => world.events.filter((event) => event.id === run.id && event.type === type).length;
    if (run.status !== 'closed') return [`${run.id} is still ${run.status}: ${run.problem ?? 'no problem is noted'}`];
    const [ends, closes] = [count('end'), count('close')];
    return ends === 1 && closes === 1 && run.outcome ? [] : [`${run.id} ended ${ends} times and closed ${closes} times`];
  });
}

/** What a closed run says is what the far side knows. */
export function outcomesAreTrue(world: World): string[] {
  const jobs = new Map(world.jobs.map((job) => [job.key, job]));
  return world.runs.flatMap((run) => {
    if (!run.outcome) return [];
    const problem = falsehood(world, run, run.outcome, jobs.get(run.id));
    return problem ? [`${run.id} says ${JSON.stringify(run.outcome)}, but ${problem}`] : [];
  });
}

function falsehood(world: World, run: Run, outcome: Outcome, job: WorldJob | undefined): string | undefined {
  if (job && job.end === undefined) return 'its job is alive';
  switch (outcome.kind) {
    case 'exited':
    case 'signalled':
      return sameEnd(job?.end, outcome) ? undefined : `its job's end was ${JSON.stringify(job?.end)}`;
    case 'cancelled':
      return run.cancel ? undefined : 'nobody cancelled it';
    case 'timed-out':
      return run.spec.timeout === undefined && run.spec.pendingTimeout === undefined ? 'it has no deadline' : undefined;
    case 'lost':
      return diedAlone(world, run) || job?.end?.kind === 'lost' ? undefined : `its job's end was ${JSON.stringify(job?.end)}`;
    case 'errored':
      // Not being able to start it is an answer; having seen it end and calling that an error is not.
      return job?.end?.kind === 'exited' && job.end.code < 128 && !diedAlone(world, run)
        ? `its job's end was ${JSON.stringify(job.end)}`
        : undefined;
  }
}

function sameEnd(end: JobEnd | undefined, outcome: Outcome): boolean {
  if (end?.kind === 'exited' && outcome.kind === 'exited') return end.code === outcome.code;
  return end?.kind === 'signalled' && outcome.kind === 'signalled' && end.signal === outcome.signal;
}

export function diedAlone(world: World, run: Run): boolean {
  return world.places.some((place) => place.key === run.lease && place.diedAlone);
}

/** One key, one run; one run, one job. */
export function keysHaveOneEffect(world: World): string[] {
  const problems = world.jobs.filter((job) => job.starts > 1).map((job) => `${job.key} was started ${job.starts} times`);
  const runs = new Set(world.runs.map((run) => run.id));
  const leases = new Set(world.leases.map((lease) => lease.id));
  for (const { key } of world.jobs) {
    if (!runs.has(key) && !leases.has(provisionedLease(key) ?? '')) problems.push(`the job ${key} belongs to no run`);
  }
  const seen = new Map<string, string>();
  for (const run of world.runs) {
    if (run.key === undefined) continue;
    const other = seen.get(run.key);
    if (other !== undefined) problems.push(`the key ${run.key} made ${other} and ${run.id}`);
    seen.set(run.key, run.id);
  }
  return problems;
}
