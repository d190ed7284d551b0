import { ErrandError } from '@errand/contract';
import type { Infra, Json, Provider, ProviderDefinition } from '@errand/contract';
import { join } from 'node:path';
import type { Ports } from '../ports.ts';
import { createBucket } from './bucket.ts';
import type { Bucket } from './bucket.ts';
import { guardInfra } from './guard-infra.ts';
import { guardProvider } from './guard.ts';

/** Opens each provider once, when it is first needed, and closes what it opened. */
export interface Providers extends AsyncDisposable {
  readonly definitions: ReadonlyMap<string, ProviderDefinition>;
  open(name: string, options: Json): Promise<Provider>;
  /** The infrastructure half, with the config of one entry under `infra.providers`; the same config gives the same instance. */
  openInfra(name: string, config: Json): Promise<Infra>;
}

export interface ProvidersOptions {
  readonly definitions: Iterable<ProviderDefinition>;
  readonly home: string;
  readonly ports: Pick<Ports, 'clock' | 'random'>;
  readonly redact: (text: string) => string;
  readonly secret?: (reference: string) => Promise<string>;
}

export function createProviders(options: ProvidersOptions): Providers {
  const definitions = new Map([...options.definitions].map((definition) => [definition.name, definition]));
  const opened = new Map<string, Promise<Provider>>();
  const guarded = new Map<string, Provider>();
  const infras = new Map<string, Promise<Infra>>();
  const buckets = new Map<string, Bucket>();
  const closing = new AbortController();

  function definitionOf(name: string): ProviderDefinition {
    const definition = definitions.get(name);
    if (definition) return definition;
    throw new ErrandError('provider/unknown', `there is no provider '${name}'`, {
      next: `Use one of: ${[...definitions.keys()].join(', ')}.`,
    });
  }

  function raw(definition: ProviderDefinition, config?: Json): Promise<Provider> {
    const key = config === undefined ? definition.name : `${definition.name} ${JSON.stringify(config)}`;
    let provider = opened.get(key);
    if (!provider) {
      provider = definition.open({
        home: join(options.home, definition.name),
        dataDirectory: options.home,
        signal: closing.signal,
        ...(config !== undefined && { config }),
        ...(options.secret && { secret: options.secret }),
      });
      opened.set(key, provider);
      // A failed opening is not kept: the next caller may have more luck.
      provider.catch(() => opened.delete(key));
    }
    return provider;
  }

  async function guardedInfra(name: string, config: Json): Promise<Infra> {
    const definition = definitionOf(name);
    const provider = await raw(definition, config);
    if (!provider.infra) {
      throw new ErrandError('provider/unknown', `opened provider '${name}' for infrastructure: it has no resources`, {
        next: 'Use a provider that has some under `infra.providers`.',
      });
    }
    const bucket = bucketFor(definition, provider.account?.(config) ?? name);
    return guardInfra(provider.infra, { name, ports: options.ports, bucket, redact: options.redact });
  }

  function bucketFor(definition: ProviderDefinition, account: string): Bucket | undefined {
    if (!definition.rate) return undefined;
    const key = `${definition.name} ${account}`;
    const bucket = buckets.get(key) ?? createBucket(options.ports.clock, definition.rate);
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    definitions,
    async open(name, providerOptions) {
      const definition = definitionOf(name);
      const provider = await raw(definition);
      const account = provider.account?.(providerOptions) ?? name;
      const key = `${name} ${account}`;
      let result = guarded.get(key);
      if (!result) {
        result = guardProvider(provider, {
          name,
          ports: options.ports,
          bucket: bucketFor(definition, account),
          redact: options.redact,
        });
        guarded.set(key, result);
      }
      return result;
    },
    openInfra(name, config) {
      const key = `${name} ${JSON.stringify(config)}`;
      let infra = infras.get(key);
      if (!infra) {
        infra = guardedInfra(name, config);
        infras.set(key, infra);
        infra.catch(() => infras.delete(key));
      }
      return infra;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      guarded.clear();
      infras.clear();
      await Promise.allSettled(all.map(async (result) => result.status === 'fulfilled' && result.value[Symbol.asyncDispose]()));
    },
  };
}
