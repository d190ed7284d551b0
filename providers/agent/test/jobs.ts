// Short ways through a provider, for the tests of the agent.
import type { Handle, JobExit, Json, Provider } from '@errand/contract';
import { ask, callFor, newKey } from './bed.ts';

export interface Ran {
  readonly exit: JobExit;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly key: string;
  readonly placeKey: string;
  readonly place: Handle<'place'>;
  readonly handle: Handle<'job'>;
}

export interface Wanted {
  readonly image?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly resources?: { readonly memory?: number; readonly cpu?: number };
  readonly timeout?: number;
  readonly owner?: string;
  readonly expiresAt?: number;
}

export async function start(provider: Provider, options: Json, script: string, wanted: Wanted = {}): Promise<Started> {
  const { host, runner } = facets(provider);
  const { env = {}, timeout, expiresAt = Date.now() + 600_000, owner = 'test', resources = {}, image } = wanted;
  const shared = { owner, resources, labels: {}, options, ...(image !== undefined && { image }) };
  const placeKey = newKey('place');
  const place = await host.acquire({ ...shared, expiresAt }, callFor(placeKey));
  const key = newKey();
  const limit = timeout === undefined ? {} : { timeout };
  const spec = { ...shared, place, command: { script }, env, secretEnv: {}, grace: 1_000, ...limit };
  try {
    return { key, placeKey, place, handle: await runner.start(spec, callFor(key)) };
  } catch (error) {
    await host.release({ key: placeKey, handle: place }, callFor(placeKey));
    throw error;
  }
}

/** To its end, and nothing is left. */
export async function run(provider: Provider, options: Json, script: string, wanted: Wanted = {}): Promise<Ran> {
  const job = await start(provider, options, script, wanted);
  const ran = await finish(provider, job);
  await release(provider, job);
  return ran;
}

export async function finish(provider: Provider, { key, handle }: Started): Promise<Ran> {
  const { runner } = facets(provider);
  const text = { stdout: '', stderr: '' };
  for await (const { stream, bytes } of runner.logs({ key, handle }, undefined, ask))
    text[stream] += Buffer.from(bytes).toString();
  return { exit: await runner.wait({ key, handle }, ask), out: text.stdout, err: text.stderr };
}

export function release(provider: Provider, { placeKey, place }: Pick<Started, 'placeKey' | 'place'>): Promise<void> {
  return facets(provider).host.release({ key: placeKey, handle: place }, callFor(placeKey, { epoch: 1_000 }));
}

export function facets({ host, runner }: Provider) {
  if (!host || !runner) throw new Error('a facet is missing');
  return { host, runner };
}

export async function until(what: string, condition: () => boolean | Promise<boolean>, patience = 30_000): Promise<void> {
  for (const end = Date.now() + patience; !(await condition());) {
    if (Date.now() > end) throw new Error(`waited ${patience} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
