// A provider whose every answer a test decides.
import type { Ask, Capabilities, Handle, Host, JobSpec, PlaceSpec, Provider, Runner, SecretCall } from '@errand/contract';

export const capabilities: Capabilities = {
  exactSignal: true,
  liveLogs: true,
  streamSplit: false,
  nativeTimeout: true,
  nativeExpiry: false,
  redactsLogs: true,
  resources: ['cpu'],
  image: 'optional',
  workspaceIn: true,
  workspaceOut: false,
};

export const place: Handle<'place'> = { kind: 'place', provider: 'stub', version: 1, state: { deep: [1, null, 'ü'] } };
export const job: Handle<'job'> = { kind: 'job', provider: 'stub', version: 2, state: 'j' };

export const placeSpec: PlaceSpec = { owner: 'o', expiresAt: 5, resources: {}, labels: {}, options: {} };
export const jobSpec: JobSpec = {
  owner: 'o',
  command: { argv: ['true'] },
  env: {},
  secretEnv: {},
  resources: {},
  grace: 1,
  labels: {},
  options: {},
};

export function stubProvider(
  parts: { host?: Partial<Host>; runner?: Partial<Runner> } & Partial<Omit<Provider, 'host' | 'runner'>> = {},
): Provider {
  const { host, runner, ...rest } = parts;
  return {
    capabilities,
    ...(host && { host: host as Host }),
    ...(runner && { runner: runner as Runner }),
    ...rest,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

export function ask(change: Partial<Ask> = {}): Ask {
  return { signal: new AbortController().signal, log: () => undefined, ...change };
}

export function call(change: Partial<SecretCall> = {}): SecretCall {
  return { ...ask(), key: 'k', epoch: 1, secret: async () => '', ...change };
}

export async function all<T>(source: AsyncIterable<T> | undefined): Promise<T[]> {
  if (!source) throw new Error('the facet is missing');
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
