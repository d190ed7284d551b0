import type { Lease } from '@errand/core';
import type { World, WorldJob } from './world.ts';

/** The lease that a job with this key makes ready; undefined for the job of a run. */
export function provisionedLease(key: string): string | undefined {
  return /^(lease-.*)-p\d+$/.exec(key)?.[1];
}

const steps = (world: World, lease: Lease): (WorldJob | undefined)[] =>
  (lease.spec.setup?.provision ?? []).map((_command, index) => world.jobs.find((job) => job.key === `${lease.id}-p${index + 1}`));

/** A run's job begins only where everything that makes a place ready has ended well, one after the other. */
export function placesAreProvisioned(world: World): string[] {
  return world.leases.flatMap((lease) => {
    let readyAt = 0;
    const problems: string[] = [];
    for (const step of steps(world, lease)) {
      if (step?.startedAt !== undefined && step.startedAt < readyAt)
        problems.push(`${step.key} began before the one before it ended`);
      const well = step?.end?.kind === 'exited' && step.end.code === 0;
      readyAt = well ? (step.endedAt ?? Infinity) : Infinity;
    }
    const place = world.places.find((candidate) => candidate.key === lease.id);
    const jobs = world.jobs.filter((job) => job.placeId === place?.id && provisionedLease(job.key) === undefined);
    const early = jobs.filter((job) => job.startedAt !== undefined && job.startedAt < readyAt);
    return [...problems, ...early.map((job) => `${job.key} began in ${lease.id} before it was ready`)];
  });
}

/** What the finished steps printed is in the lease's log, once and in order. */
export function provisioningIsKept(world: World): string[] {
  return world.leases.flatMap((lease) => {
    const done = steps(world, lease).slice(0, lease.provisioning?.done ?? 0);
    const died = world.places.some((place) => place.key === lease.id && place.diedAlone);
    if (died) return [];
    return (['stdout', 'stderr'] as const).flatMap((stream) => {
      const said = done.map((step) => step?.output[stream] ?? '').join('');
      const kept = world.captured.get(lease.id)?.[stream] ?? '';
      return kept.startsWith(said) ? [] : [`the log of ${lease.id} has ${JSON.stringify(kept)} for ${JSON.stringify(said)}`];
    });
  });
}
