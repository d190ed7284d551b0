// Which lease a run gets, decided and written in one transaction: an idle one that fits, or a new one. Two runs that
// want the same idle lease at once cannot both have it.
import { isErrandError } from '@errand/contract';
import type { ErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import { leaseKeys } from '../lease/keys.ts';
import type { LeaseKeys } from '../lease/keys.ts';
import { mustLastUntil } from '../lease/policy.ts';
import { payLease } from '../lease/release.ts';
import type { Lease, LeaseSpec } from '../model/lease.ts';
import type { Run, RunSpec } from '../model/run.ts';
import type { NewLease, NewRun, Reads, Writes } from '../store/port.ts';
import type { Watch } from './watch.ts';

export async function recordLease(engine: Engine, watch: Watch): Promise<Lease> {
  const { run } = watch;
  const { setup, lease: asked } = run.spec;
  const keys = setup && asked === undefined ? await leaseKeys(engine, { ...run.spec, setup }) : undefined;
  const fresh = newLease(engine, watch.run, keys);
  const [lease, leasing] = await engine.store.transaction(async (tx) => {
    const got =
      asked === undefined
        ? ((await takeIdle(tx, watch, keys, fresh.now)) ?? (await tx.openLease(fresh)))
        : await tx.takeLease(asked, run.id, fresh.now);
    return [got, await tx.advanceRun(run.id, watch.epoch, 'lease', { lease: got.id }, fresh.now)];
  });
  watch.run = leasing;
  // Also when the pool was empty: it should not have been.
  if (setup && setup.warm > 0 && (lease.spec.warm || lease.status === 'pending')) engine.refill(run.spec.environment);
  return lease;
}

/** A run that takes whatever new place it gets needs nothing looked up for it: one write records it with its lease. */
export async function openWithLease(engine: Engine, fresh: NewRun): Promise<{ readonly run: Run; readonly created: boolean }> {
  return engine.store.transaction(async (tx) => {
    const opened = await tx.openRun(fresh);
    if (!opened.created) return opened;
    const lease = await tx.openLease(newLease(engine, fresh, undefined));
    const run = await tx.advanceRun(fresh.id, opened.run.epoch, 'lease', { lease: lease.id }, fresh.now);
    return { run, created: true };
  });
}

/** Instead of one whose place did not answer; that one is released, at the latest by a sweep. */
export async function anotherLease(
  engine: Engine,
  watch: Watch,
  gone: Lease,
  because: ErrandError,
  lookForIdle: boolean,
): Promise<Lease> {
  const { setup } = watch.run.spec;
  const keys = setup && (await leaseKeys(engine, { ...watch.run.spec, setup }));
  const fresh = newLease(engine, watch.run, keys);
  const problem = engine.redact(because.message);
  const [released, lease, leasing] = await engine.store.transaction(async (tx) => {
    const releasing = await tx.advanceLease(gone.id, gone.epoch, 'release', { run: undefined, problem }, fresh.now);
    const idle = lookForIdle ? await takeIdle(tx, watch, keys, fresh.now) : undefined;
    const got = idle ?? (await tx.openLease(fresh));
    return [releasing, got, await tx.advanceRun(watch.id, watch.epoch, 'lease', { lease: got.id }, fresh.now)];
  });
  watch.run = leasing;
  // What is known to be gone is soon confirmed; anything else may take long, and the run does not wait for it.
  if (isErrandError(because, 'provider/not-found')) await payLease(engine, released).catch(() => {});
  return lease;
}

async function takeIdle(tx: Reads & Writes, watch: Watch, keys: LeaseKeys | undefined, now: number): Promise<Lease | undefined> {
  if (!keys) return undefined;
  const wanted = [keys.reuse, keys.pool].filter((key) => key !== undefined);
  const lastsUntil = mustLastUntil(now, watch.run.spec.ttl);
  return tx.takeIdle({ keys: wanted, run: watch.id, reuseKey: keys.reuse, lastsUntil, now });
}

function newLease(engine: Engine, { spec, id: run }: Pick<Run, 'spec' | 'id'>, keys: LeaseKeys | undefined): NewLease {
  const now = engine.ports.clock.now();
  return {
    id: `lease-${engine.ports.random.id()}`,
    spec: leaseSpec(spec, keys),
    run,
    expiresAt: now + spec.ttl,
    now,
    ...(keys?.reuse !== undefined && { reuseKey: keys.reuse }),
  };
}

function leaseSpec(spec: RunSpec, keys: LeaseKeys | undefined): LeaseSpec {
  const { environment, provider, options, image, resources, labels, ttl, setup } = spec;
  return {
    environment,
    provider,
    options,
    resources,
    labels,
    ttl,
    ...(image !== undefined && { image }),
    ...(setup && { setup }),
    ...(setup?.policy === 'reuse' && { standing: true }),
    ...(keys && { fingerprint: keys.fingerprint }),
  };
}
