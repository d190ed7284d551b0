// Environments are edited and deleted while places stand on them. That is safe: a lease carries its own spec. What it
// means for the place is said here, and places that no run can come to any more are given up early.
import { isErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Lease } from '../model/lease.ts';
import type { LeasePolicy } from '../model/setup.ts';
import { releaseLease } from './release.ts';
import type { SweepLine } from './report.ts';

/** What the config says now. */
export interface Present {
  /** The config file. Leases that were made under another one are none of its business. */
  readonly source: string | undefined;
  /** Undefined: it cannot be told what the environment is now, for instance because a secret is missing. */
  readonly environments: ReadonlyMap<string, PresentEnvironment | undefined>;
}

export interface PresentEnvironment {
  readonly fingerprint: string;
  readonly policy: LeasePolicy;
  readonly warm: number;
}

/** Why the lease's place is not what its environment would give today; undefined while it is. */
export function whyOutdated(present: Present, { spec }: Lease): string | undefined {
  if (spec.fingerprint === undefined || spec.setup?.source !== present.source) return undefined;
  const name = `'${spec.environment}'`;
  if (!present.environments.has(spec.environment)) return `the environment ${name} is no longer defined`;
  const now = present.environments.get(spec.environment);
  return now && now.fingerprint !== spec.fingerprint ? `it stands on an older ${name}` : undefined;
}

/** Idle leases that wait for a run which cannot come, and ready ones beyond what is wanted. Those taken by id only are left. */
export function unwanted(present: Present, idle: readonly Lease[]): { readonly lease: Lease; readonly because: string }[] {
  const ready = new Map<string, number>();
  return idle.flatMap((lease) => {
    if (lease.reuseKey === undefined || lease.spec.setup?.source !== present.source) return [];
    const outdated = whyOutdated(present, lease);
    if (outdated !== undefined) return [{ lease, because: `${outdated}, so no run will take it` }];
    const { environment, warm } = lease.spec;
    const now = present.environments.get(environment);
    if (!now) return [];
    if (!warm || lease.used) {
      return now.policy === 'reuse' ? [] : [{ lease, because: `places of '${environment}' are not reused any more` }];
    }
    const count = (ready.get(environment) ?? 0) + 1;
    ready.set(environment, count);
    return count > now.warm ? [{ lease, because: `'${environment}' keeps ${now.warm} ready places` }] : [];
  });
}

export function releaseUnwanted(engine: Engine, present: Present, idle: readonly Lease[], dryRun: boolean): Promise<SweepLine[]> {
  const found = unwanted(present, idle);
  return Promise.all(found.map(({ lease, because }) => give(engine, lease, because, dryRun)));
}

async function give(engine: Engine, lease: Lease, because: string, dryRun: boolean): Promise<SweepLine> {
  const line = { subject: 'lease', id: lease.id } as const;
  if (dryRun) return { ...line, did: 'would-release', because };
  try {
    const after = await releaseLease(engine, lease, 'release');
    if (after.status === 'released') return { ...line, did: 'released', because };
    return { ...line, did: 'failed', because: after.problem ?? 'not confirmed' };
  } catch (error) {
    if (isErrandError(error, 'lease/fenced')) return { ...line, did: 'left', because: 'a run has taken it meanwhile' };
    return { ...line, did: 'failed', because: engine.redact(error instanceof Error ? error.message : String(error)) };
  }
}
