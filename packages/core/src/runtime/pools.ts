// The runtime's side of ready places: what the config wants now, and filling in the background.
import type { Config, Environment } from '../config/types.ts';
import type { Engine } from '../engine/types.ts';
import { leaseKeys } from '../lease/keys.ts';
import { releaseUnwanted } from '../lease/outdated.ts';
import type { Present, PresentEnvironment } from '../lease/outdated.ts';
import type { SweepLine } from '../lease/report.ts';
import type { Lease } from '../model/lease.ts';
import { fillPool } from '../run/fill-pool.ts';
import type { Filling, PoolSpec } from '../run/fill-pool.ts';
import { environmentOf, fullSetup } from './request.ts';
import type { WarmReport } from './sdk.ts';

export function poolSpec(environment: Environment, source: string | undefined): PoolSpec {
  const { name, provider, options, resources, labels, image, lease } = environment;
  const setup = fullSetup(environment, source);
  return {
    environment: name,
    provider,
    options,
    resources,
    labels,
    ttl: lease.ttl,
    setup,
    ...(image !== undefined && { image }),
  };
}

/** Only as far as these leases are concerned: what an environment is now depends on its secrets, which are not read in vain. */
export async function presentOf(engine: Engine, config: Config, leases: readonly Lease[]): Promise<Present> {
  const concerned = new Set(leases.map((lease) => lease.spec.environment));
  const environments = [...config.environments.values()].map(async (one) => {
    const now = concerned.has(one.name) ? await presentEnvironment(engine, poolSpec(one, config.file)) : undefined;
    return [one.name, now] as const;
  });
  return { source: config.file, environments: new Map(await Promise.all(environments)) };
}

async function presentEnvironment(engine: Engine, spec: PoolSpec): Promise<PresentEnvironment | undefined> {
  try {
    const { fingerprint } = await leaseKeys(engine, spec);
    return { fingerprint, policy: spec.setup.policy, warm: spec.setup.warm };
  } catch {
    // Whoever runs there is told what is wrong with it.
    return undefined;
  }
}

export async function giveUpUnwanted(engine: Engine, config: Config, dryRun: boolean): Promise<SweepLine[]> {
  const idle = await engine.store.leases({ statuses: ['idle'] });
  const keyed = idle.filter((lease) => lease.reuseKey !== undefined);
  return keyed.length === 0 ? [] : releaseUnwanted(engine, await presentOf(engine, config, keyed), keyed, dryRun);
}

/** Fills the pool of one environment, or of all that have one; gives up first what nobody wants any more. */
export async function warm(
  engine: Engine,
  config: Config,
  name: string | undefined,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<WarmReport> {
  const chosen = name === undefined ? [...config.environments.values()] : [environmentOf(config, name)];
  const released = await giveUpUnwanted(engine, config, dryRun);
  const pools = chosen.filter((environment) => (environment.warm ?? 0) > 0);
  const fillings = pools.map(async (environment) => {
    try {
      return await fillPool(engine, poolSpec(environment, config.file), dryRun, signal);
    } catch (error) {
      return notFilled(engine, environment, error);
    }
  });
  return { released, pools: await Promise.all(fillings) };
}

/** One environment that cannot be used does not keep the others from being filled. */
function notFilled(engine: Engine, { name, warm: wanted = 0 }: Environment, error: unknown): Filling {
  const problem = engine.redact(error instanceof Error ? error.message : String(error));
  return { environment: name, wanted, ready: 0, made: [], missing: wanted, problems: [problem], swept: [] };
}

export interface Refills {
  /** Soon, and once more when it was asked for while one was going on. */
  refill(environment: string): void;
  /** Resolves when nothing is being made any more. */
  settled(): Promise<void>;
}

export function createRefills(fill: (environment: string) => Promise<unknown>): Refills {
  const going = new Map<string, Promise<void>>();
  return {
    refill(environment) {
      const next = (going.get(environment) ?? Promise.resolve())
        .then(() => fill(environment))
        .then(
          () => {},
          () => {},
        );
      going.set(environment, next);
    },
    async settled() {
      await Promise.all(going.values());
    },
  };
}
