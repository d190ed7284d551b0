import { expect, test } from 'vitest';
import type { Ask, Driver, Infra, ResourceDiff, ResourceSpec, ResourceState } from '@errand/contract';
import { planFor } from './serve-plan.ts';

const ask: Ask = { signal: new AbortController().signal, log: () => undefined };
const none: ResourceDiff = { needsUpdate: false, needsReplace: false, changes: [] };

/** The config says what the diff is to be. */
const driver = {
  diff: async ({ config }: ResourceSpec) => ({ ...none, ...(config['diff'] as Partial<ResourceDiff> | undefined) }),
} as unknown as Driver;
const infra: Infra = { drivers: new Map(['a.a', 'b.b'].map((type) => [type, driver])) };

const spec = (name: string, dependsOn: string[] = [], diff?: object, type = 'a.a'): ResourceSpec => ({
  name,
  type,
  config: diff === undefined ? {} : { diff: JSON.parse(JSON.stringify(diff)) as never },
  dependsOn,
});
const state = (name: string, dependencies: string[] = [], type = 'a.a'): ResourceState => ({
  id: name,
  name,
  type,
  provider: 'p',
  providerRef: '',
  providerId: `id-${name}`,
  configHash: '',
  appliedConfig: {},
  appliedConfigSource: '',
  outputs: {},
  dependencies,
});
const short = async (desired: ResourceSpec[], current: ResourceState[]) =>
  (await planFor(infra, desired, current, ask)).actions.map(({ action, resource }) => `${action} ${resource.name}`);

test('creates and changes follow what they depend on; deletes go the other way, last', async () => {
  const desired = [spec('app', ['db', 'net', 'elsewhere']), spec('db', ['net'], { needsUpdate: true }), spec('net')];
  const current = [state('db'), state('old'), state('older', ['old'])];
  expect(await short(desired, current)).toEqual(['create net', 'update db', 'create app', 'delete older', 'delete old']);
});

test('a forced field or another type is a replacement; no difference is no action', async () => {
  const forced = { needsUpdate: true, changes: [{ path: 'x', forceNew: true }] };
  const desired = [spec('a', [], forced), spec('b', [], { needsReplace: true }), spec('c', [], {}, 'b.b'), spec('d')];
  expect(
    await short(
      desired,
      ['a', 'b', 'c', 'd'].map((name) => state(name)),
    ),
  ).toEqual(['replace a', 'replace b', 'replace c']);
});

test('what cannot be planned is refused with its reason', async () => {
  const circle = [spec('a', ['b']), spec('b', ['c']), spec('c', ['a'])];
  await expect(short(circle, [])).rejects.toMatchObject({
    code: 'infra/invalid',
    message: expect.stringContaining('a → b → c → a') as string,
  });
  await expect(short([spec('a', [], undefined, 'x.y')], [])).rejects.toMatchObject({ code: 'provider/refused' });
});
