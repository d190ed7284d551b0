import type { Lease, Run, StoredEvent } from '@errand/core';
import { provisionedLease } from './provision.ts';
import type { World } from './world.ts';

const over = (lease: Lease) => lease.status === 'released';

/** No live place without a lease row that still owns it. */
export function placesHaveLeases(world: World): string[] {
  const leases = new Map(world.leases.map((lease) => [lease.id, lease]));
  return world.places
    .filter((place) => place.alive)
    .flatMap((place) => {
      const lease = leases.get(place.key);
      if (!lease) return [`the place ${place.key} is alive and has no lease row`];
      return over(lease) ? [`the place ${place.key} is alive, but its lease is ${lease.status}`] : [];
    });
}

/** No live job outside a lease that its run holds. */
export function jobsAreInsideLeases(world: World): string[] {
  const runs = new Map(world.runs.map((run) => [run.id, run]));
  const leases = new Map(world.leases.map((lease) => [lease.id, lease]));
  return world.jobs
    .filter((job) => job.end === undefined)
    .flatMap((job) => {
      const provisioned = leases.get(provisionedLease(job.key) ?? '');
      if (provisioned) return over(provisioned) ? [`the job ${job.key} is alive, but its lease is over`] : [];
      const run = runs.get(job.key);
      const lease = run?.lease === undefined ? undefined : leases.get(run.lease);
      if (!run) return [`the job ${job.key} is alive and has no run`];
      if (run.status === 'closed') return [`the job ${job.key} is alive, but its run is closed (${run.outcome?.kind})`];
      return !lease || over(lease) || lease.run !== run.id ? [`the job ${job.key} is alive and its run holds no lease`] : [];
    });
}

/** A standing place takes one job at a time. Two at once means two holders. */
export function leasesAreExclusive(world: World): string[] {
  const problems: string[] = [];
  for (const place of world.places) {
    const jobs = world.jobs
      .filter((job) => job.placeId === place.id && job.startedAt !== undefined)
      .toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
    for (const [index, job] of jobs.entries()) {
      const next = jobs[index + 1];
      if (next?.startedAt !== undefined && next.startedAt < (job.endedAt ?? Infinity)) {
        problems.push(`the place ${place.key} ran ${job.key} and ${next.key} at the same time`);
      }
    }
  }
  return problems;
}

/** Once a place has accepted an epoch, it never acts on a lower one. */
export function oldEpochsAreRefused(world: World): string[] {
  const highest = new Map<string, number>();
  return world.journal.flatMap((entry) => {
    if (entry.place === undefined || entry.result === 'fenced' || entry.result === 'nothing') return [];
    const seen = highest.get(entry.place) ?? 0;
    highest.set(entry.place, Math.max(seen, entry.epoch));
    return entry.epoch < seen ? [`${entry.place} did ${entry.method} with epoch ${entry.epoch} after ${seen}`] : [];
  });
}

/** A place is released only after its lease was given up in writing, and a lease expires only when nobody uses it. */
export function liveLeasesAreLeftAlone(world: World): string[] {
  const problems: string[] = [];
  const leases = new Map(world.leases.map((lease) => [lease.id, lease]));
  const givenUp = world.events.filter((event) => event.subject === 'lease' && ['release', 'expire'].includes(event.type));
  for (const entry of world.journal) {
    if (entry.method !== 'release' || entry.result !== 'done' || !leases.has(entry.key)) continue;
    if (!givenUp.some((event) => event.id === entry.key && event.at <= entry.at)) {
      problems.push(`the place ${entry.key} was released at ${entry.at} while its lease was live`);
    }
  }
  for (const event of givenUp.filter((candidate) => candidate.type === 'expire')) {
    const lease = leases.get(event.id);
    const before = world.events.filter((other) => other.id === event.id && other.seq < event.seq);
    // One that nobody was ever given cannot be in use.
    if (!before.some((other) => other.type === 'granted')) continue;
    const user = holderBefore(world, before);
    const inUse = user ? (user.closedAt ?? Infinity) > event.at : (lease?.expiresAt ?? 0) > event.at;
    if (inUse) problems.push(`the lease ${event.id} was expired at ${event.at} while it was in use`);
  }
  return problems;
}

/** The run that had the lease after these events; none when it was idle. */
function holderBefore(world: World, events: readonly StoredEvent[]): Run | undefined {
  let holder: string | undefined;
  for (const { type, data } of events) {
    const run = (data as { readonly run?: string | null }).run ?? undefined;
    if (type === 'opened' || type === 'take') holder = run;
    if (type === 'park') holder = undefined;
  }
  return world.runs.find((run) => run.id === holder);
}

/** Of two runs that had one lease, the later one took it after the earlier one gave it back. */
export function leasesAreHandedOver(world: World): string[] {
  const holders = new Map<string, string>();
  return world.events.flatMap(({ id, subject, type, data }) => {
    if (subject !== 'lease') return [];
    const before = holders.get(id);
    const run = (data as { readonly run?: string | null }).run ?? undefined;
    if (type === 'park' || type === 'release' || type === 'expire') holders.delete(id);
    if ((type !== 'opened' && type !== 'take') || run === undefined) return [];
    holders.set(id, run);
    return before === undefined ? [] : [`${run} took the lease ${id} from ${before}`];
  });
}
