import type { Host, Provider, ProviderDefinition, Runner } from '@errand/contract';

/**
 * A messenger that delivers every mutating call twice, the second one right behind the first: the same key must have one
 * effect. Files can be read once only, so `realize` is delivered once.
 */
export function deliverTwice(definition: ProviderDefinition): ProviderDefinition {
  return {
    ...definition,
    async open(context) {
      const provider = await definition.open(context);
      const doubled: Provider = {
        ...provider,
        ...(provider.host && { host: doubleHost(provider.host) }),
        ...(provider.runner && { runner: doubleRunner(provider.runner) }),
        [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
      };
      return doubled;
    },
  };
}

function doubleHost(host: Host): Host {
  return {
    acquire: (spec, call) => twice(() => host.acquire(spec, call)),
    renew: (place, expiresAt, call) => twice(() => host.renew(place, expiresAt, call)),
    realize: (place, files, call) => host.realize(place, files, call),
    collect: (place, patterns, ask) => host.collect(place, patterns, ask),
    release: (place, call) => twice(() => host.release(place, call)),
    inventory: (owner, ask) => host.inventory(owner, ask),
  };
}

function doubleRunner(runner: Runner): Runner {
  return {
    start: (spec, call) => twice(() => runner.start(spec, call)),
    wait: (job, ask) => runner.wait(job, ask),
    logs: (job, after, ask) => runner.logs(job, after, ask),
    stop: (job, how, call) => twice(() => runner.stop(job, how, call)),
    find: (owner, ask) => runner.find(owner, ask),
  };
}

async function twice<T>(deliver: () => Promise<T>): Promise<T> {
  const [first, second] = await Promise.allSettled([deliver(), deliver()]);
  if (first.status === 'fulfilled') return first.value;
  if (second.status === 'fulfilled') return second.value;
  throw first.reason;
}
