// Where the engine is, what it says when it refuses, and who is logged in where.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultAddress, parseAddress } from './address.ts';
import { EngineFailure } from './client.ts';
import { createEngines } from './engines.ts';
import { engineError } from './errors.ts';
import { withTag } from './image.ts';
import { credentialsFor, registryOf } from './registry.ts';
import { createStarter } from './starter.ts';

const { signal } = new AbortController();

test('addresses', () => {
  expect(defaultAddress({ DOCKER_HOST: 'unix:///x.sock' })).toBe('unix:///x.sock');
  expect(defaultAddress({ DOCKER_HOST: 'host:2375' })).toBe('tcp://host:2375');
  expect(parseAddress('unix:///x.sock', {})).toEqual({ socketPath: '/x.sock' });
  expect(parseAddress('tcp://host', {})).toEqual({ host: 'host', port: 2375, tls: undefined });
  expect(parseAddress('tcp://[::1]:9', {})).toMatchObject({ host: '::1', port: 9 });
  expect(parseAddress('tcp://host', { DOCKER_TLS_VERIFY: '1' })).toEqual({ host: 'host', port: 2376, tls: 'system' });
  expect(() => parseAddress('ssh://host', {})).toThrow(expect.objectContaining({ code: 'usage/invalid' }));
  expect(() => parseAddress('https://host', { DOCKER_CERT_PATH: '/no/such/dir' })).toThrow(
    expect.objectContaining({ code: 'provider/auth' }),
  );
});

test('refusals by status and by code', () => {
  const code = (details: { status?: number; code?: string }, message = 'no') =>
    (engineError('unix:///x', 'tried', new EngineFailure(message, details)) as { code: string }).code;
  expect(code({ code: 'ECONNREFUSED' })).toBe('provider/unreachable');
  expect(code({ code: 'ENOENT' })).toBe('provider/unreachable');
  expect(code({ code: 'EACCES' })).toBe('provider/auth');
  expect(code({ status: 404 })).toBe('provider/not-found');
  expect(code({ status: 409 })).toBe('provider/conflict');
  expect(code({ status: 429 })).toBe('provider/throttled');
  expect(code({ status: 400 })).toBe('provider/failed');
  expect(code({ status: 500 }, 'write /x: no space left on device')).toBe('disk/full');
  expect(engineError('unix:///x', 'tried', new EngineFailure('no', { status: 500 }))).toMatchObject({ retry: 'later' });
  const other = new Error('x');
  expect(engineError('unix:///x', 'tried', other)).toBe(other);
});

test('an engine that is not there is unreachable, with a next step', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  using engines = createEngines(home);
  const engine = engines.at(`unix://${join(home, 'none.sock')}`);
  const failure = await engine.info(signal).catch((error: unknown) => engineError(engine.address, 'tried', error));
  expect(failure).toMatchObject({ code: 'provider/unreachable', next: expect.any(String) });
  expect(engines.known()).toEqual([]);
  // A fresh process knows where something may have been made.
  engines.remember(engine);
  using later = createEngines(home);
  expect(later.known().map((one) => one.address)).toEqual([engine.address]);
  await rm(home, { recursive: true });
});

test('registries and tags of image names', () => {
  expect(['node', 'library/node', 'ghcr.io/a/b', 'localhost/x', 'host:5000/x'].map(registryOf)).toEqual([
    'https://index.docker.io/v1/',
    'https://index.docker.io/v1/',
    'ghcr.io',
    'localhost',
    'host:5000',
  ]);
  expect(['a', 'a:1', 'host:5000/a', 'host:5000/a:1', 'a@sha256:00'].map(withTag)).toEqual([
    'a:latest',
    'a:1',
    'host:5000/a:latest',
    'host:5000/a:1',
    'a@sha256:00',
  ]);
});

test('logins come from where `docker login` left them', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  const env = { DOCKER_CONFIG: dir };
  const decode = (value: string | undefined) =>
    value ? (JSON.parse(Buffer.from(value, 'base64url').toString()) as unknown) : undefined;
  expect(await credentialsFor('ghcr.io/a/b', env)).toBeUndefined();
  const auth = Buffer.from('me:pass:word').toString('base64');
  await writeFile(join(dir, 'config.json'), JSON.stringify({ auths: { 'ghcr.io': { auth } } }));
  expect(decode(await credentialsFor('ghcr.io/a/b', env))).toEqual({
    username: 'me',
    password: 'pass:word',
    serveraddress: 'ghcr.io',
  });
  expect(((await credentialsFor('ghcr.io/a/b', env)) ?? '').length % 4).toBe(0);
  expect(await credentialsFor('node', env)).toBeUndefined();
  await writeFile(join(dir, 'config.json'), JSON.stringify({ credHelpers: { 'ghcr.io': 'errand-none' } }));
  await expect(credentialsFor('ghcr.io/a/b', env)).rejects.toMatchObject({ code: 'provider/auth' });
  await rm(dir, { recursive: true });
});

test('a starter is taken for gone only with proof', () => {
  const starter = createStarter();
  expect(starter.hasGivenUp(starter.mark, 'c')).toBe(true);
  starter.busy.add('c');
  expect(starter.hasGivenUp(starter.mark, 'c')).toBe(false);
  // Another opening in this living process may be at it.
  expect(starter.hasGivenUp(createStarter().mark, 'd')).toBe(false);
  const [machine, pid, started, tag] = JSON.parse(starter.mark) as [string, number, string, string];
  expect(starter.hasGivenUp(JSON.stringify([machine, pid, `${started}0`, tag]), 'd')).toBe(true);
  expect(starter.hasGivenUp(JSON.stringify(['another machine', pid, '0', tag]), 'd')).toBe(false);
  for (const foreign of [undefined, '', 'text', '[]', '{}']) expect(starter.hasGivenUp(foreign, 'd')).toBe(false);
});
