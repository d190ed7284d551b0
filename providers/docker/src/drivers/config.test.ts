import { describe, expect, test } from 'vitest';
import type { Attributes } from '@errand/contract';
import { infraSchema } from '../infra-config.ts';
import { bytes, diffConfig, isUnknown } from './config.ts';
import { containerService } from './container-service.ts';
import { idOf } from './layout.ts';
import { sizing } from './sizing.ts';
import { specOf } from './workload.ts';

const spec = (config: Attributes) => ({ name: 'web', type: 'infra.container_service', config, dependsOn: [] });

test.each([
  ['512Mi', 536_870_912],
  ['1.5Gi', 1_610_612_736],
  ['2G', 2e9],
  ['1024', 1024],
  [77, 77],
])('%s is %i bytes', (amount, wanted) => expect(bytes(amount)).toBe(wanted));

describe('names on an engine', () => {
  test('are readable where they can be', () => expect(idOf({ prefix: 'laptop' }, 'db')).toBe('laptop-db'));
  test('never become one of two', () => {
    const ids = ['a b', 'a-b', 'a/b', 'a.b', 'ä', 'a'.repeat(200), 'a'.repeat(201)].map((name) => idOf({ prefix: 'p' }, name));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{1,95}$/);
  });
});

describe('differences', () => {
  test('of variables are told name by name, without what they were', () => {
    const old = { env_vars: { A: 'secret once', B: 'same', C: 'gone' }, image: 'x:1' };
    const wanted = { env_vars: { A: 'new', B: 'same', D: 'added' }, image: 'x:2' };
    const { changes, needsUpdate } = diffConfig(wanted, old, { forceNew: [] });
    expect(changes.map((change) => change.path).toSorted()).toEqual(['env_vars.A', 'env_vars.C', 'env_vars.D', 'image']);
    expect(JSON.stringify(changes)).not.toContain('secret once');
    expect(changes).toContainEqual({ path: 'image', old: 'x:1', new: 'x:2', forceNew: false });
    expect(needsUpdate).toBe(true);
  });
  test('to a default that was not written are none', () => {
    const rules = { forceNew: ['engine'], defaults: { engine: 'postgres' } };
    expect(diffConfig({ engine: 'postgres' }, {}, rules).changes).toEqual([]);
    expect(diffConfig({}, { engine: 'mysql' }, rules).needsReplace).toBe(true);
  });
});

test('a container is the same whatever order its config was written in, and however many there are', () => {
  const of = (config: Attributes) => specOf(containerService.workload(spec(config), ''), config, []);
  const one = of({ image: 'x', env_vars: { A: '1', B: '2' } });
  expect(of({ env_vars: { B: '2', A: '1' }, image: 'x', instance_count: 3, region: 'nyc3' })).toBe(one);
  expect(of({ image: 'x', env_vars: { A: '1', B: '3' } })).not.toBe(one);
});

test('all that is wrong with a config is told at once', () => {
  const wrong = spec({ image: '', http_port: 99_999, colour: 'red' });
  expect(() => containerService.workload(wrong, '')).toThrow(/image.*http_port.*colour/s);
});

test('a health check is a program in the container', () => {
  const of = (config: Attributes) => containerService.workload(spec({ image: 'x', ...config }), '').health?.test;
  expect(of({})).toBeUndefined();
  expect(of({ http_port: 80, health_check: { http_path: '/up' } })?.[1]).toContain("'http://127.0.0.1:80/up'");
  expect(of({ health_check: { tcp_port: 9 } })).toEqual(['CMD-SHELL', 'nc -z 127.0.0.1 9']);
  expect(of({ provider_specific: { health_command: ['/check', 'me'] } })).toEqual(['CMD', '/check', 'me']);
  expect(of({ http_port: 80, health_check: { http_path: "/'; rm -rf /" } })?.[1]).not.toContain("'; rm");
});

test('hints come before the size', async () => {
  const ask = { signal: new AbortController().signal, log: () => undefined };
  expect(await sizing('infra.database', 's', { memory: '3Gi' }, ask)).toEqual({
    instanceType: '',
    specs: { cpu: '1', memory: '3Gi' },
  });
  expect(await sizing('infra.cache', 'xs', {}, ask)).toMatchObject({ specs: { memory: '256Mi' } });
});

test('what is known after apply is seen at any depth, and an escaped $ is not it', () => {
  expect([isUnknown('${a.b}'), isUnknown({ x: ['-', '${a.b}'] }), isUnknown('$${a.b}'), isUnknown(7)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('the prefix follows from the directory of the config file', () => {
  expect(infraSchema('/home/me/My Shop').parse({})).toEqual({ prefix: 'My-Shop', publish: '127.0.0.1' });
  expect(infraSchema('/').parse({})).toMatchObject({ prefix: 'errand' });
  expect(infraSchema('/x').safeParse({ engine: 'nonsense' }).success).toBe(false);
});
