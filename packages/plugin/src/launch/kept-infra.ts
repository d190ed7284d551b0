// The infrastructure half of a provider in a process that may die: each call goes to the one that lives then.
import { ErrandError } from '@errand/contract';
import type { Ask, Driver, Infra, Provider, StateBackend } from '@errand/contract';
import type { Kept } from './keep.ts';

/** Calls that give their answer piece by piece. */
const streams: ReadonlySet<string> = new Set(['all', 'byTag', 'capture']);

/** For the few calls that bring no signal. */
const patience = 60_000;

export function keptInfra(name: string, kept: Kept<Provider>, first: Infra): Infra {
  const facet = <K extends keyof Infra>(key: K): Pick<Infra, K> => {
    const value = first[key];
    const infraOf = (provider: Provider) => present(name, key, provider.infra?.[key]);
    return { [key]: keptFacet(kept, value as object, infraOf as (provider: Provider) => object) } as unknown as Pick<Infra, K>;
  };
  const facets = Object.keys(first).filter((key) => typeof first[key as keyof Infra] === 'object') as (keyof Infra)[];
  const whole = (provider: Provider) => present(name, 'infra', provider.infra);
  const drivers = [...first.drivers].map(([type, driver]): [string, Driver] => [
    type,
    keptFacet(kept, driver, (provider) => present(name, `driver of ${type}`, provider.infra?.drivers.get(type))),
  ]);
  return {
    ...keptFacet(kept, first, whole),
    ...Object.assign({}, ...facets.map(facet)),
    drivers: new Map(drivers),
    ...(first.canonicalKeys && { canonicalKeys: first.canonicalKeys }),
    ...(first.stateBackend && { stateBackend: keptBackend(name, kept, first.stateBackend) }),
  };
}

/** The same methods; whatever else the first one said of itself stays. */
function keptFacet<F extends object>(kept: Kept<Provider>, first: F, pick: (provider: Provider) => F): F {
  const entries = Object.entries(first).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'function') return [key, value] as const;
    const call = (facet: F, args: readonly unknown[]): unknown => {
      const method = present(key, key, (facet as Record<string, unknown>)[key]) as (...args: unknown[]) => unknown;
      return method.apply(facet, [...args]);
    };
    const signalOf = (args: readonly unknown[]) =>
      (args.at(-1) as Partial<Ask> | undefined)?.signal ?? AbortSignal.timeout(patience);
    if (streams.has(key)) {
      return [
        key,
        (...args: unknown[]) => kept.each(signalOf(args), (provider) => call(pick(provider), args) as AsyncIterable<unknown>),
      ] as const;
    }
    return [key, (...args: unknown[]) => kept.use(signalOf(args), async (provider) => call(pick(provider), args))] as const;
  });
  return Object.fromEntries(entries) as F;
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
