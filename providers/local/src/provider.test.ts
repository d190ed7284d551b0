import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ErrandError } from '@errand/contract';
import { baseEnvironment, jobEnvironment } from './environment.ts';
import { localProvider } from './index.ts';
import { fileError } from './files.ts';

const ask = { signal: new AbortController().signal, log: () => undefined };

test('options: only known keys and values', async () => {
  const schema = await localProvider.options();
  expect(schema.safeParse({}).success).toBe(true);
  expect(schema.safeParse({ sandbox: 'strict' }).success).toBe(true);
  expect(schema.safeParse({ sandbox: 'loose' }).success).toBe(false);
  expect(schema.safeParse({ sandbx: 'strict' }).success).toBe(false);
});

test('a strict sandbox without bubblewrap is refused with a hint', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-local-'));
  await using provider = await localProvider.open({ home, signal: ask.signal });
  const path = process.env['PATH'];
  process.env['PATH'] = home;
  try {
    const [problem] = (await provider.check?.({ resources: {}, options: { sandbox: 'strict' } }, ask)) ?? [];
    expect(problem).toMatchObject({ severity: 'error' });
    expect(problem?.hint).toContain('sandbox: none');
    expect(await provider.check?.({ resources: {}, options: {} }, ask)).toEqual([]);
  } finally {
    process.env['PATH'] = path;
    await rm(home, { recursive: true });
  }
});

test('a job’s environment: a small base, its own, its secrets, and marks that nobody can set', () => {
  const base = baseEnvironment({ PATH: '/bin', LC_ALL: 'C', TOKEN: 'x', AWS_SECRET: 'y', ERRAND_MARKS: 'outer' });
  expect(base).toEqual({ PATH: '/bin', LC_ALL: 'C', ERRAND_MARKS: 'outer' });
  expect(
    jobEnvironment(base, { A: '1', ERRAND_MARKS: 'forged', PATH: '/own' }, { S: 'secret' }, { key: 'k', mark: 'm' }),
  ).toEqual({
    PATH: '/own',
    LC_ALL: 'C',
    A: '1',
    S: 'secret',
    ERRAND_JOB: 'k',
    ERRAND_MARKS: 'outer,m',
  });
});

test('a full disk and a forbidden directory are told apart, with a next step', () => {
  const full = fileError('tried x', Object.assign(new Error('no'), { code: 'ENOSPC' }));
  const forbidden = fileError('tried x', Object.assign(new Error('no'), { code: 'EACCES' }));
  expect(full).toMatchObject({ code: 'disk/full', next: expect.any(String) });
  expect(forbidden).toMatchObject({ code: 'home/unwritable', next: expect.any(String) });
  expect(fileError('tried x', new ErrandError('internal/bug', 'kept'))).toMatchObject({ code: 'internal/bug' });
});

test('NUL bytes and foreign cursors are refused', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-local-'));
  await using provider = await localProvider.open({ home, signal: ask.signal });
  const { host, runner } = provider;
  if (!host || !runner) throw new Error('a facet is missing');
  const call = { ...ask, key: 'k', epoch: 1, secret: async () => '' };
  const common = { owner: 'o', resources: {}, labels: {}, options: {} };
  const place = await host.acquire({ ...common, expiresAt: Date.now() + 60_000 }, call);
  const spec = { ...common, place, command: { argv: ['echo', 'a\0b'] }, env: {}, secretEnv: {}, grace: 1 };
  await expect(runner.start(spec, call)).rejects.toMatchObject({ code: 'usage/invalid' });
  await expect(runner.start({ ...common, ...spec, place: { ...place, state: null } }, call)).rejects.toMatchObject({
    code: 'provider/failed',
  });
  const handle = await runner.start({ ...spec, command: { argv: ['true'] } }, call);
  await expect(runner.logs({ key: 'k', handle }, 'x1', ask)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'usage/invalid',
  });
  await runner.wait({ key: 'k', handle }, ask);
  await host.release({ key: 'k' }, call);
  await rm(home, { recursive: true });
});
