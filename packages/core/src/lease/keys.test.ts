import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Setup } from '../model/setup.ts';
import { fingerprintOf, leaseKeys, poolKeyOf, reuseKeyOf } from './keys.ts';
import type { FingerprintParts, Keyed, KeyParts } from './keys.ts';

const parts: FingerprintParts = {
  provider: 'docker',
  version: '1',
  options: { a: 1, b: [1, 2] },
  image: 'node',
  resources: { cpu: 2 },
  env: { A: '1' },
  secretEnv: { T: 'secret://env/T' },
  secretVersions: { 'secret://env/T': 'v1' },
  provision: [{ argv: ['x'] }],
};

test.each<[keyof FingerprintParts, Partial<FingerprintParts>]>([
  ['provider', { provider: 'ssh' }],
  ['version', { version: '2' }],
  ['options', { options: { a: 1, b: [2, 1] } }],
  ['image', { image: undefined }],
  ['resources', { resources: { cpu: 3 } }],
  ['env', { env: { A: '1', B: '' } }],
  ['secretEnv', { secretEnv: { U: 'secret://env/T' } }],
  ['secretVersions', { secretVersions: { 'secret://env/T': 'v2' } }],
  ['provision', { provision: [{ script: 'x' }] }],
])('another %s is another fingerprint', (_name, change) => {
  expect(fingerprintOf({ ...parts, ...change })).not.toBe(fingerprintOf(parts));
});

const key: KeyParts = {
  tenant: 't',
  environment: 'e',
  fingerprint: 'f',
  image: undefined,
  workspace: undefined,
  label: undefined,
};

test.each<[string, Partial<KeyParts>]>([
  ['tenant', { tenant: 'u' }],
  ['environment', { environment: 'g' }],
  ['fingerprint', { fingerprint: 'g' }],
  ['image', { image: 'x' }],
  ['workspace', { workspace: '/x' }],
  ['label', { label: '/x' }],
  ['empty label', { label: '' }],
])('another %s is another key', (_name, change) => {
  expect(reuseKeyOf({ ...key, ...change })).not.toBe(reuseKeyOf(key));
});

test('a pool is never taken for a reused place', () => {
  expect(poolKeyOf({ tenant: 't', environment: 'e', fingerprint: 'f' })).not.toBe(reuseKeyOf(key));
});

test('the order in which things were written does not matter', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (env) => {
      const turned = Object.fromEntries(Object.entries(env).toReversed());
      expect(fingerprintOf({ ...parts, env: turned })).toBe(fingerprintOf({ ...parts, env }));
    }),
  );
});

const setup: Setup = { policy: 'reuse', provision: [], warm: 1, env: {}, secretEnv: { T: 'secret://env/T' } };
const spec: Keyed = { environment: 'e', provider: 'p', options: {}, resources: {}, setup };
const engine = (version = 'v1', provider = '1') => ({
  providers: { definitions: new Map([['p', { version: provider }]]) },
  secrets: { version: async () => version },
});
const keysOf = (given: Keyed, ...made: Parameters<typeof engine>) =>
  leaseKeys(engine(...made) as unknown as Parameters<typeof leaseKeys>[0], given);

test('a run has the keys that its environment wants', async () => {
  expect(await keysOf(spec)).toEqual(await keysOf({ ...spec }));
  expect(await keysOf({ ...spec, setup: { ...setup, policy: 'fresh' } })).toMatchObject({
    reuse: undefined,
    pool: expect.any(String),
  });
  expect(await keysOf({ ...spec, setup: { ...setup, warm: 0 } })).toMatchObject({ pool: undefined, reuse: expect.any(String) });
  // What was made ahead has the environment's image.
  expect(await keysOf({ ...spec, image: 'own' })).toMatchObject({ pool: undefined, reuse: expect.any(String) });
});

test('a new version of a secret or of the provider fits no old place', async () => {
  const old = await keysOf(spec);
  for (const now of [await keysOf(spec, 'v2'), await keysOf(spec, 'v1', '2')]) {
    expect([now.reuse === old.reuse, now.pool === old.pool, now.fingerprint === old.fingerprint]).toEqual([false, false, false]);
  }
});

test('what a single run says changes its reuse key, never its pool', async () => {
  const plain = await keysOf(spec);
  const own = await keysOf({ ...spec, workspace: '/w', setup: { ...setup, reuseLabel: 'l' } });
  expect(own.pool).toBe(plain.pool);
  expect(own.fingerprint).toBe(plain.fingerprint);
  expect(own.reuse).not.toBe(plain.reuse);
});
