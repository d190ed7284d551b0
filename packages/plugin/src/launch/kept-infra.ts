// The infrastructure half of a provider in a process that may die: each call goes to the one that lives then.
import { ErrandError } from '@errand/contract';
import type { Ask, Infra, Provider, StateBackend } from '@errand/contract';
import type { Kept } from './keep.ts';

/** Calls that give their answer piece by piece. */
const streams: ReadonlySet<string> = new Set(['all', 'byTag', 'capture']);

/** For the few calls that bring no signal. */
const patience = 60_000;

export function keptInfra(name: string, kept: Kept<Provider>, first: Infra): Infra {
  const { drivers, canonicalKeys, stateBackend, ...rest } = first;
  const infraOf = (provider: Provider) => present(name, 'infra', provider.infra);
  const facets = Object.entries(rest).map(([key, value]: [string, unknown]) => {
    // Some are calls by themselves.
    if (typeof value === 'function') return [key, keptMethod(kept, key, infraOf)] as const;
    const facetOf = (provider: Provider) => present(name, key, provider.infra?.[key as keyof typeof rest]);
    return [key, keptFacet(kept, value as object, facetOf)] as const;
  });
  const keptDrivers = [...drivers].map(([type, driver]) => {
    const driverOf = (provider: Provider) => present(name, `driver of ${type}`, provider.infra?.drivers.get(type));
    return [type, keptFacet(kept, driver, driverOf)] as const;
  });
  return {
    ...(Object.fromEntries(facets) as typeof rest),
    drivers: new Map(keptDrivers),
    ...(canonicalKeys && { canonicalKeys }),
    ...(stateBackend && { stateBackend: keptBackend(name, kept, stateBackend) }),
  };
}

/** The same methods; whatever else the first one said of itself stays. */
function keptFacet<F extends object>(kept: Kept<Provider>, first: F, pick: (provider: Provider) => object): F {
  const entries = Object.entries(first).map(
    ([key, value]: [string, unknown]) => [key, typeof value === 'function' ? keptMethod(kept, key, pick) : value] as const,
  );
  return Object.fromEntries(entries) as F;
}

function keptMethod(kept: Kept<Provider>, key: string, pick: (provider: Provider) => object) {
  return (...args: unknown[]) => {
    const signal = (args.at(-1) as Partial<Ask> | undefined)?.signal ?? AbortSignal.timeout(patience);
    const call = (provider: Provider): unknown => {
      const facet = pick(provider) as Record<string, ((...args: unknown[]) => unknown) | undefined>;
      return present(key, 'method', facet[key]).apply(facet, args);
    };
    if (streams.has(key)) return kept.each(signal, (provider) => call(provider) as AsyncIterable<unknown>);
    return kept.use(signal, async (provider) => call(provider));
  };
}

/** A process that was launched again does not know how its predecessor was configured. */
function keptBackend(name: string, kept: Kept<Provider>, first: StateBackend): StateBackend {
  const told = new Map<string, Parameters<StateBackend['configure']>>();
  const ready = new WeakMap<StateBackend, Promise<void>>();
  const plain = keptFacet(kept, first, (provider) => present(name, 'stateBackend', provider.infra?.stateBackend));
  const configured = async (backend: StateBackend) => {
    for (const [which, config, call] of told.values()) await backend.configure(which, config, call);
  };
  const use = <R>({ signal }: Ask, call: (backend: StateBackend) => Promise<R>) =>
    kept.use(signal, async (provider) => {
      const backend = present(name, 'stateBackend', provider.infra?.stateBackend);
      const readying = ready.get(backend) ?? configured(backend);
      ready.set(backend, readying);
      await readying.catch((error: unknown) => {
        ready.delete(backend);
        throw error;
      });
      return await call(backend);
    });
  return {
    ...plain,
    configure: (which, config, call) =>
      use(call, async (backend) => {
        await backend.configure(which, config, call);
        told.set(which, [which, config, { ...call, signal: new AbortController().signal }]);
      }),
    get: (id, ask) => use(ask, (backend) => backend.get(id, ask)),
    save: (record, call) => use(call, (backend) => backend.save(record, call)),
    list: (filter, ask) => use(ask, (backend) => backend.list(filter, ask)),
    delete: (id, call) => use(call, (backend) => backend.delete(id, call)),
    lock: (id, call) => use(call, (backend) => backend.lock(id, call)),
    unlock: (id, call) => use(call, (backend) => backend.unlock(id, call)),
  };
}

/** A plugin that was exchanged while we held it may have lost a facet. */
export function present<T>(name: string, facet: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new ErrandError(
    'environment/unsupported',
    `called the ${facet} of the provider ${name}: it has none since it was launched again`,
  );
}
