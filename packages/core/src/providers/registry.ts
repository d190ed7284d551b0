import { ErrandError } from '@errand/contract';
import type { Json, Provider, ProviderDefinition } from '@errand/contract';
import { join } from 'node:path';
import type { Ports } from '../ports.ts';
import { createBucket } from './bucket.ts';
import type { Bucket } from './bucket.ts';
import { guardProvider } from './guard.ts';

/** Opens each provider once, when it is first needed, and closes what it opened. */
export interface Providers extends AsyncDisposable {
  readonly definitions: ReadonlyMap<string, ProviderDefinition>;
  open(name: string, options: Json): Promise<Provider>;
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
  const buckets = new Map<string, Bucket>();
  const closing = new AbortController();

  function raw(definition: ProviderDefinition): Promise<Provider> {
    let provider = opened.get(definition.name);
    if (!provider) {
      provider = definition.open({
        home: join(options.home, definition.name),
        dataDirectory: options.home,
        signal: closing.signal,
        ...(options.secret && { secret: options.secret }),
      });
      opened.set(definition.name, provider);
      // A failed opening is not kept: the next caller may have more luck.
      provider.catch(() => opened.delete(definition.name));
    }
    return provider;
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
      const definition = definitions.get(name);
      if (!definition) {
        throw new ErrandError('provider/unknown', `there is no provider '${name}'`, {
          next: `Use one of: ${[...definitions.keys()].join(', ')}.`,
        });
      }
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
    async [Symbol.asyncDispose]() {
      closing.abort();
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      guarded.clear();
      await Promise.allSettled(all.map(async (result) => result.status === 'fulfilled' && result.value[Symbol.asyncDispose]()));
    },
  };
}
