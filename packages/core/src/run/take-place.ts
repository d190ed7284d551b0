import { ErrandError, isErrandError } from '@errand/contract';
import type { Handle } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import { acquirePlace, renewLease } from '../lease/acquire.ts';
import { isProvisioned } from '../lease/policy.ts';
import type { Lease } from '../model/lease.ts';
import type { Run } from '../model/run.ts';
import { anotherLease, recordLease } from './record-lease.ts';
import type { Watch } from './watch.ts';

/** The lease that the run works under: recorded first, then brought to life; one that is there already is taken again. */
export async function takePlace(engine: Engine, watch: Watch): Promise<Lease> {
  let lease = watch.run.lease === undefined ? await recordLease(engine, watch) : await sameLease(engine, watch.run);
  const signal = AbortSignal.any([watch.signal, watch.ending]);
  const { lease: asked } = watch.run.spec;
  const foundIdle = lease.status === 'active' && watch.run.status === 'leasing' && asked === undefined;
  if (foundIdle) lease = await proveAlive(engine, watch, lease, signal);
  if (lease.status === 'pending') {
    signal.throwIfAborted();
    return recordPlace(engine, watch, lease, await acquirePlace(engine, lease, signal));
  }
  if (watch.epoch > 1 && lease.place && !foundIdle) await raiseFence(engine, lease, watch.signal);
  return lease;
}

/** After so many that were gone, a new one is made without looking further. */
const mostTries = 3;

/**
 * Nobody has heard of an idle place since it was parked. Renewing it proves that it is there, keeps it for as long as a
 * new one, and tells it the new holder's epoch. One that does not answer is given up, and another one is taken.
 */
async function proveAlive(engine: Engine, watch: Watch, first: Lease, signal: AbortSignal): Promise<Lease> {
  let lease = first;
  for (let tries = 1; lease.status === 'active'; tries++) {
    try {
      return await renewLease(engine, lease, engine.ports.clock.now() + watch.run.spec.ttl, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isErrandError(error) || !aboutThePlace(error)) throw error;
      engine.log(`${lease.id} cannot be used again: ${engine.redact(error.message)}`);
      lease = await anotherLease(engine, watch, lease, error, tries < mostTries);
    }
  }
  return lease;
}

/** Where the provider as a whole does not answer, another place would not either, and giving this one up helps nobody. */
function aboutThePlace({ code }: ErrandError): boolean {
  const elsewhere = ['provider/fenced', 'provider/unreachable', 'provider/throttled', 'provider/auth'];
  return code.startsWith('provider/') && !elsewhere.includes(code);
}

async function recordPlace(engine: Engine, watch: Watch, lease: Lease, place: Handle<'place'> | undefined): Promise<Lease> {
  const now = engine.ports.clock.now();
  const [granted, run] = await engine.store.transaction(async (tx) => {
    const active = await tx.advanceLease(lease.id, lease.epoch, 'granted', place ? { place } : {}, now);
    const realizing = await tx.advanceRun(watch.id, watch.epoch, 'realize', {}, now);
    // Without files to bring in, the job is the next thing to be asked for: one write tells both.
    const ready = realizing.spec.workspace === undefined && isProvisioned(active);
    const straight = ready && !watch.ending.aborted && !watch.signal.aborted;
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
