import { expect, test } from 'vitest';
import type { Json } from '@errand/contract';
import { machines } from './machine.ts';
import { grant, grantTimeout, matches } from './policy.ts';
import type { Policy } from './policy.ts';

const docker: Policy = {
  images: ['alpine:3.*', 'ghcr.io/acme/*', 'internal/**'],
  profiles: ['standard', 'strict'],
  networks: ['builds'],
  mounts: ['/srv/cache'],
  concurrency: 1,
  limits: { memory: 1_000_000_000, cpu: 2, timeout: 60_000 },
};
const ask = (options: Json, more: { image?: string; resources?: object } = {}) =>
  grant(machines.docker, docker, { resources: {}, image: 'alpine:3.20', options, ...more });
const refusal = { code: 'provider/refused' };

test.each(['alpine:3.20', 'ghcr.io/acme/tool', 'ghcr.io/acme/tool:1', 'internal/a/b/c', 'alpine:3.20@sha256:abc'])(
  'the image %s is allowed',
  (image) => expect(ask({}, { image }).image).toBe(image),
);

test.each(['alpine', 'alpine:4', 'evil/alpine:3.20', 'ghcr.io/acme/deep/tool', 'xalpine:3.2', 'ghcr_io/acme/x', 'alpine:3.20/x'])(
  'the image %s is refused',
  (image) => expect(() => ask({}, { image })).toThrow(expect.objectContaining(refusal)),
);

test('an image without a tag is its latest', () => {
  const policy = { ...docker, images: ['alpine:latest'] };
  expect(() => grant(machines.docker, policy, { resources: {}, image: 'alpine', options: {} })).not.toThrow();
});

test('a profile is one of the allowed ones, or the first when none is named; never another', () => {
  expect(ask({}).options).toEqual({ profile: 'standard' });
  expect(ask({ profile: 'strict' }).options).toEqual({ profile: 'strict' });
  for (const profile of ['permissive', 'strictest', 'toString', '', null, 7, ['strict']]) {
    expect(() => ask({ profile }), String(profile)).toThrow(/does not allow the profile/);
  }
});

test('a local agent’s profiles are its sandbox, which cannot be chosen otherwise', () => {
  const policy: Policy = { profiles: ['strict'], networks: [], mounts: [], concurrency: 1, limits: {} };
  const local = (options: Json) => grant(machines.local, policy, { resources: {}, options }).options;
  expect(local({})).toEqual({ sandbox: 'strict' });
  expect(() => local({ sandbox: 'none' })).toThrow(expect.objectContaining(refusal));
  expect(() => local({ profile: 'permissive' })).toThrow(expect.objectContaining(refusal));
});

test.each<Json>([
  { engine: 'tcp://elsewhere:2375' },
  { network: 'host' },
  { mounts: [{ source: '/etc', target: '/x' }] },
  { mounts: [{ source: '/srv/cache/../../etc', target: '/x' }] },
  { mounts: [{ source: '/srv/cachet', target: '/x' }] },
  { mounts: 'all' },
  { privileged: true },
  'text',
])('the options %j are refused', (options) => expect(() => ask(options)).toThrow(expect.objectContaining(refusal)));

test('options that are a list are refused', () => expect(() => ask([])).toThrow(expect.objectContaining(refusal)));

test('what the policy names, and what is a client’s own affair, is granted', () => {
  const options = { network: 'builds', workdir: '/w', user: '1000', mounts: [{ source: '/srv/cache/npm', target: '/c' }] };
  expect(ask(options).options).toEqual({ ...options, profile: 'standard' });
  expect(ask({ network: 'none' }).options).toMatchObject({ network: 'none' });
});

test('more than the limits is refused; what names none gets the limit or its profile’s, whichever is less', () => {
  expect(ask({}, { resources: { memory: 500, cpu: 1 } }).resources).toEqual({ memory: 500, cpu: 1 });
  expect(() => ask({}, { resources: { memory: 1_000_000_001 } })).toThrow(/memory/);
  expect(() => ask({}, { resources: { cpu: 2.1 } })).toThrow(/cpu/);
  // The profile's 256 MiB and half a core are less, and stay the provider's affair.
  expect(ask({}).resources).toEqual({});
  const tight = { ...docker, limits: { memory: 1_000 } };
  expect(grant(machines.docker, tight, { resources: {}, image: 'alpine:3.1', options: {} }).resources).toEqual({ memory: 1_000 });
  const wish = { resources: {}, options: {} };
  expect(grantTimeout(machines.docker, docker, wish)).toEqual({ timeout: 60_000 });
  expect(grantTimeout(machines.docker, { ...docker, limits: { timeout: 3_600_000 } }, wish)).toEqual({});
  expect(() => grantTimeout(machines.docker, docker, { ...wish, timeout: 60_001 })).toThrow(/timeout/);
});

test('a pattern is the whole text', () => {
  expect([matches('a*', 'a'), matches('a*', 'ab'), matches('a*', 'a/b'), matches('a**', 'a/b')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect([matches('a.b', 'axb'), matches('*', 'a\nb'), matches('a', 'ab')]).toEqual([false, true, false]);
});
