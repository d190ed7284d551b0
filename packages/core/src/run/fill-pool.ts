import type { Engine } from '../engine/types.ts';
import { leaseKeys } from '../lease/keys.ts';
import type { SweepLine } from '../lease/report.ts';
import { sweepLease } from '../lease/sweep.ts';
import type { Lease, LeaseSpec } from '../model/lease.ts';
import type { Setup } from '../model/setup.ts';
import { admit } from '../providers/admit.ts';
import { raise } from './standing.ts';

/** What an environment's ready places are like. */
export type PoolSpec = LeaseSpec & { readonly setup: Setup };

export interface Filling {
  readonly environment: string;
  readonly wanted: number;
  /** Ready before anything was made. */
  readonly ready: number;
  /** Ready now because of us; in a dry run, how many would be made. */
  readonly made: readonly string[];
  readonly missing: number;
  readonly problems: readonly string[];
  readonly swept: readonly SweepLine[];
}

/**
 * Brings the pool up to its size. Any number of processes may do so at once: each place is counted in the transaction
 * that asks for it. What a dead process left half done is cleared away first, or it would count for ever.
 */
export async function fillPool(engine: Engine, spec: PoolSpec, dryRun: boolean, signal: AbortSignal): Promise<Filling> {
  const { environment, setup } = spec;
  const keys = await leaseKeys(engine, spec);
  const waiting = keys.pool === undefined ? [] : await poolLeases(engine, keys.pool);
  const swept = await Promise.all(waiting.map((lease) => sweepLease(engine, lease, dryRun)));
  const standing = waiting.filter((_lease, index) => swept[index] === undefined);
  const filling = {
    environment,
    wanted: setup.warm,
    ready: standing.filter((lease) => lease.status === 'idle').length,
    swept: swept.flatMap((line) => line ?? []),
  };
  const missing = Math.max(0, setup.warm - standing.length);
  if (dryRun || keys.pool === undefined) return { ...filling, made: [], missing, problems: [] };
  const provider = await engine.providers.open(spec.provider, spec.options);
  await admit(provider, { ...spec, workspaceIn: false, workspaceOut: false, standing: true }, signal);
  const pending = await openMissing(engine, { ...spec, fingerprint: keys.fingerprint, warm: true, standing: true }, keys.pool);
  const made = await Promise.allSettled(pending.map((lease) => raise(engine, lease, signal)));
  const problems = made.flatMap((result) => (result.status === 'rejected' ? [text(engine, result.reason)] : []));
  const ids = made.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []));
  return { ...filling, made: ids, missing: problems.length, problems };
}

function poolLeases(engine: Engine, reuseKey: string): Promise<readonly Lease[]> {
  return engine.store.leases({ statuses: ['pending', 'idle'], reuseKey });
}

async function openMissing(engine: Engine, spec: PoolSpec, reuseKey: string): Promise<Lease[]> {
  const { store, ports } = engine;
  const opened: Lease[] = [];
  for (;;) {
    const now = ports.clock.now();
    const id = `lease-${ports.random.id()}`;
    const fresh = { id, spec, reuseKey, holder: ports.identity.self, expiresAt: now + spec.ttl, now };
    const lease = await store.openWarm(fresh, spec.setup.warm);
    if (!lease) return opened;
    opened.push(lease);
  }
}

function text(engine: Engine, error: unknown): string {
  return engine.redact(error instanceof Error ? error.message : String(error));
}
