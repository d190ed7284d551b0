import { expect, test } from 'vitest';
import type { JobSpec } from '@errand/contract';
import { refusals } from './check.ts';
import type { EngineInfo } from './client.ts';
import { optionsSchema } from './config.ts';
import { containerBody } from './container-body.ts';
import { label } from './layout.ts';
import { readOptions } from './options.ts';
import { labelsIn, placeFrom } from './place.ts';
import { containerRequest, digestOf, refuseUnrunnable } from './request.ts';

const info: EngineInfo = {
  os: 'linux',
  cpus: 2,
  limitsMemory: true,
  limitsCpu: true,
  limitsPids: true,
  hasInit: true,
  machine: 'x86_64',
  logDrivers: ['local', 'json-file'],
};
const spec: JobSpec = {
  owner: 'o',
  command: { argv: ['a', 'b c', ''] },
  env: { A: '1' },
  secretEnv: { TOKEN: 'secret://file/token' },
  image: 'i:1',
  resources: {},
  grace: 100,
  labels: { team: 'x' },
  options: { profile: 'strict' },
};
const more = { [label.image]: 'i:1', [label.workdir]: '/workspace', [label.expires]: '7' };
const place = placeFrom('errand-k', [
  { name: 'errand-k', labels: labelsIn({ name: 'errand-k', owner: 'o', key: 'k' }, 'place', more) },
]);
if (!place) throw new Error('no place');

const body = (change: Partial<JobSpec> = {}) =>
  JSON.parse(
    JSON.stringify(
      containerBody(
        containerRequest({ spec: { ...spec, ...change }, key: 'j', place, secrets: { TOKEN: 'hush-hush' }, starter: 'me', info }),
      ),
    ),
  ) as Record<string, unknown>;

test('strict is exactly what the table says', () => {
  expect(body()).toMatchObject({
    Entrypoint: ['a', 'b c', ''],
    Cmd: [],
    WorkingDir: '/workspace',
    HostConfig: {
      NetworkMode: 'none',
      Memory: 256 * 1024 * 1024,
      MemorySwap: 256 * 1024 * 1024,
      NanoCpus: 500_000_000,
      PidsLimit: 64,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'rw,noexec,nosuid,nodev,size=64m,mode=1777' },
      LogConfig: { Type: 'local' },
    },
    Labels: { [label.timeout]: '300000' },
  });
});

test('standard and permissive, and what an environment says itself', () => {
  expect(body({ options: {} })['HostConfig']).toMatchObject({
    NetworkMode: 'default',
    CapDrop: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_PTRACE', 'SETUID', 'SETGID'],
    CapAdd: ['NET_BIND_SERVICE'],
  });
  const open = body({ options: { profile: 'permissive', network: 'build' }, resources: { cpu: 2, memory: 5e9 }, timeout: 9 });
  expect(open['HostConfig']).toMatchObject({ NetworkMode: 'build', Memory: 5e9, NanoCpus: 2e9 });
  for (const key of ['CapDrop', 'SecurityOpt', 'ReadonlyRootfs', 'PidsLimit']) expect(open['HostConfig']).not.toHaveProperty(key);
  expect(open['Labels']).not.toHaveProperty(label.timeout);
});

test('a script goes through the image’s shell', () => {
  expect(body({ command: { script: 'echo "$A"' } })['Entrypoint']).toEqual(['/bin/sh', '-c', 'echo "$A"']);
});

test('a secret is in the environment and nowhere else', () => {
  const { Env: env, ...rest } = body();
  expect(env).toContain('TOKEN=hush-hush');
  expect(JSON.stringify(rest)).not.toContain('hush');
});

test('the digest: the same for the same job in any order of keys, another for another', () => {
  const turned = Object.fromEntries(Object.entries(spec).toReversed()) as unknown as JobSpec;
  expect(digestOf(turned, 'p')).toBe(digestOf(spec, 'p'));
  expect(digestOf({ ...spec, command: { argv: ['a', 'b', 'c', ''] } }, 'p')).not.toBe(digestOf(spec, 'p'));
  expect(digestOf(spec, 'q')).not.toBe(digestOf(spec, 'p'));
});

test('what no program can receive is refused', () => {
  for (const command of [{ argv: [] }, { argv: ['a\0b'] }, { script: '\0' }]) {
    expect(() => refuseUnrunnable({ ...spec, command })).toThrow(expect.objectContaining({ code: 'usage/invalid' }));
  }
  expect(() => refuseUnrunnable({ ...spec, env: { A: 'x\0' } })).toThrow('NUL');
});

test('options: only known keys and values; strict keeps its network closed', () => {
  const ok = (options: unknown) => optionsSchema.safeParse(options).success;
  expect(ok({})).toBe(true);
  expect(ok({ engine: 'tcp://host:2375', profile: 'standard', workdir: '/w', network: 'host', user: 'node' })).toBe(true);
  expect(ok({ mounts: [{ source: '/a', target: '/b', read_only: false }] })).toBe(true);
  expect(ok({ profile: 'strict', network: 'none' })).toBe(true);
  expect(ok({ profile: 'strict', network: 'bridge' })).toBe(false);
  expect(ok({ profile: 'Strict' })).toBe(false);
  expect(ok({ profil: 'strict' })).toBe(false);
  expect(ok({ engine: 'ssh://host' })).toBe(false);
  expect(ok({ workdir: 'relative' })).toBe(false);
  expect(() => readOptions({ profile: 'loose' })).toThrow(expect.objectContaining({ code: 'config/invalid' }));
  expect(readOptions({ mounts: [{ source: '/a', target: '/b' }] }).mounts).toEqual([
    { source: '/a', target: '/b', readOnly: true },
  ]);
});

test('a limit that the engine would leave out is refused', () => {
  const strict = readOptions({ profile: 'strict' });
  const open = readOptions({ profile: 'permissive' });
  const weak = { ...info, limitsMemory: false, limitsCpu: false, limitsPids: false };
  expect(refusals(info, { resources: {}, options: {} }, strict)).toEqual([]);
  expect(refusals(weak, { resources: {}, options: {} }, strict)).toHaveLength(3);
  expect(refusals(weak, { resources: {}, options: {} }, open)).toEqual([]);
  expect(refusals(weak, { resources: { memory: 1e9 }, options: {} }, open)).toHaveLength(1);
  expect(refusals(info, { resources: { cpu: 3, memory: 1e6 }, options: {} }, open)).toHaveLength(2);
  expect(refusals({ ...info, os: 'windows' }, { resources: {}, options: {} }, open)).toHaveLength(1);
});
