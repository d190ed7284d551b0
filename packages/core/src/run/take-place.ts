import { ErrandError, isErrandError } from '@errand/contract';
import type { Handle } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import { acquirePlace } from '../lease/acquire.ts';
import type { Lease, LeaseSpec } from '../model/lease.ts';
import type { Run, RunSpec } from '../model/run.ts';
import type { Watch } from './watch.ts';

/** The lease that the run works under: recorded first, then brought to life; one that is there already is taken again. */
export async function takePlace(engine: Engine, watch: Watch): Promise<Lease> {
  const lease = watch.run.lease === undefined ? await recordLease(engine, watch) : await sameLease(engine, watch.run);
  const signal = AbortSignal.any([watch.signal, watch.ending]);
  if (lease.status === 'pending') {
    signal.throwIfAborted();
    return recordPlace(engine, watch, lease, await acquirePlace(engine, lease, signal));
  }
  if (watch.epoch > 1 && lease.place) await raiseFence(engine, lease, watch.signal);
  return lease;
}

async function recordLease(engine: Engine, watch: Watch): Promise<Lease> {
  const { run } = watch;
  const now = engine.ports.clock.now();
  const [recorded, leasing] = await engine.store.transaction(async (tx) => {
    const lease =
      run.spec.lease === undefined
        ? await tx.openLease({
            id: `lease-${engine.ports.random.id()}`,
            spec: leaseSpec(run.spec),
            run: run.id,
            expiresAt: now + run.spec.ttl,
            now,
          })
        : await tx.takeLease(run.spec.lease, run.id, now);
    return [lease, await tx.advanceRun(run.id, watch.epoch, 'lease', { lease: lease.id }, now)];
  });
  watch.run = leasing;
  return recorded;
}

async function recordPlace(engine: Engine, watch: Watch, lease: Lease, place: Handle<'place'> | undefined): Promise<Lease> {
  const now = engine.ports.clock.now();
  const [granted, run] = await engine.store.transaction(async (tx) => {
    const active = await tx.advanceLease(lease.id, lease.epoch, 'granted', place ? { place } : {}, now);
    const realizing = await tx.advanceRun(watch.id, watch.epoch, 'realize', {}, now);
    // Without files to bring in, the job is the next thing to be asked for: one write tells both.
    const straight = realizing.spec.workspace === undefined && !watch.ending.aborted && !watch.signal.aborted;
    return [active, straight ? await tx.advanceRun(watch.id, watch.epoch, 'start', {}, now) : realizing];
  });
  watch.run = run;
  return granted;
}

async function sameLease(engine: Engine, run: Run): Promise<Lease> {
  const lease = run.lease === undefined ? undefined : await engine.store.lease(run.lease);
  if (!lease) throw new ErrandError('lease/unknown', `the lease ${run.lease} of ${run.id} is not in the store`);
  if (lease.run === run.id && (lease.status === 'pending' || lease.status === 'active')) return lease;
  // A job that was started is asked after all the same: the provider knows what became of it.
  if (run.status === 'running') return lease;
  throw new ErrandError('lease/ended', `the lease ${lease.id} of ${run.id} is ${lease.status} and no longer the run's`);
}

/** From here on the far side refuses the earlier watcher too. */
async function raiseFence(engine: Engine, lease: Lease, signal: AbortSignal): Promise<void> {
  const provider = await engine.providers.open(lease.spec.provider, lease.spec.options);
  if (!lease.place) return;
  try {
    await provider.host?.renew(lease.place, lease.expiresAt, { key: lease.id, epoch: lease.epoch, signal, log: engine.log });
  } catch (error) {
    // A place that is gone has nothing to fence; the job's end will tell.
    if (!isErrandError(error, 'provider/not-found')) throw error;
  }
}

function leaseSpec(spec: RunSpec): LeaseSpec {
  const { environment, provider, options, image, resources, labels, ttl } = spec;
  return { environment, provider, options, resources, labels, ttl, ...(image !== undefined && { image }) };
}
