import { expect, test } from 'vitest';
import { canonicalKeys } from './keys.ts';
import { canonicalJsonSchema, checkShape } from './schema.ts';
import { defaultSizing } from './sizing.ts';

test('there are 32 keys, and each has a shape', () => {
  expect(new Set(canonicalKeys).size).toBe(32);
  expect(Object.keys(canonicalJsonSchema()['properties'] as object).toSorted()).toEqual(canonicalKeys.toSorted());
});

test('a config with everything in it is right', () => {
  expect(
    checkShape({
      name: 'web',
      http_port: 80,
      internal_ports: [{ port: 9000, protocol: 'tcp' }],
      instance_count: 2,
      env_vars: { A: 'x', B: 1 },
      autoscaling: { min: 1, max: 3, cpu_percent: 70 },
      domains: ['a.example', { name: 'b.example', type: 'ALIAS' }],
      health_check: { http_path: '/', period_seconds: 10, anything: 1 },
      jobs: [
        { name: 'migrate', kind: 'PRE_DEPLOY', run_command: 'up' },
        { kind: 'scheduled', cron: '* * * * *' },
      ],
      sidecars: [{ image: 'x', ports: [{ port: 1 }], shares_network_with: 'web' }],
      provider_specific: { docker: { a: 1 } },
      a_key_of_the_provider: true,
    }),
  ).toEqual([]);
});

test('what is wrong is named with its path', () => {
  expect(
    checkShape({
      http_port: 70_000,
      protocol: 'smtp',
      internal_ports: [{ port: 'x' }, { port: 1, colour: 'red' }],
      autoscaling: { min: 3, max: 1 },
      domains: [1],
    }),
  ).toMatchObject([
    { path: 'http_port' },
    { path: 'internal_ports.0.port', message: 'expected a number' },
    { path: 'internal_ports.1', message: "unknown key 'colour'" },
    { path: 'protocol', message: "expected 'tcp' or 'http' or 'http2' or 'grpc'" },
    { path: 'autoscaling', message: 'min is more than max' },
    { path: 'domains.0', message: 'expected a name or a map with one' },
  ]);
});

test('what a reference becomes is not guessed', () => {
  expect(checkShape({ http_port: '${db.port}', internal_ports: '${db.ports}' })).toEqual([]);
});

test('the sizing table', () => {
  expect(defaultSizing('infra.database', 's', {})).toEqual({ cpu: '1', memory: '2Gi', storage: '50Gi' });
  expect(defaultSizing('infra.cache', 'xl', {})).toEqual({ memory: '64Gi' });
  expect(defaultSizing('infra.container_service', 'xs', { cpu: '2' })).toEqual({ cpu: '2', memory: '512Mi' });
});
