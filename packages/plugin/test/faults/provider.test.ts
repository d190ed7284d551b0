// A provider behind a plugin that dies: what its callers see, and what becomes of its jobs.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ErrandError } from '@errand/contract';
import { openPluginProvider } from '../../src/launch/provider.ts';
import { readPluginDirectory } from '../../src/launch/plugin-directory.ts';
import { lockPlugin } from '../../src/lock/verify.ts';
import { createBed, expectNothingLeft, records } from '../bed.ts';
import type { Bed } from '../bed.ts';

const localArgv = [process.execPath, join(import.meta.dirname, '../../../../providers/local/src/bin.ts')];
const { signal } = new AbortController();
const call = { signal, log: () => undefined, epoch: 1, secret: async () => '' };
const spec = { owner: 'o', env: {}, secretEnv: {}, resources: {}, grace: 1000, labels: {}, options: {} };

const pidOf = async (bed: Bed) => ((await records(bed.home))[0] as { plugin: { pid: number } }).plugin.pid;

test('a plugin that is killed ends the calls in flight; the next call launches it again and finds the job', async () => {
  await using bed = await createBed();
  const options = { ...bed.options(await bed.program(localArgv, 'local')), name: 'local', relaunch: { firstPause: 10 } };
  await using provider = await openPluginProvider(options);
  const expiresAt = Date.now() + 600_000;
  const place = await provider.host?.acquire(
    { owner: 'o', expiresAt, resources: {}, labels: {}, options: {} },
    { ...call, key: 'p' },
  );
  if (!place) throw new Error('no place');
  const job = await provider.runner?.start({ ...spec, place, command: { argv: ['sleep', '3'] } }, { ...call, key: 'j' });
  if (!job) throw new Error('no job');
  const ref = { key: 'j', handle: job };
  const { runner } = provider;
  const waits = Array.from({ length: 5 }, async () => await runner?.wait(ref, call).catch((error: unknown) => error));
  const first = await pidOf(bed);
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.kill(first, 'SIGKILL');
  for (const error of await Promise.all(waits)) {
    expect(error).toMatchObject({
      code: 'provider/unreachable',
      retry: 'safe',
      message: expect.stringMatching(/SIGKILL/) as string,
    });
  }
  expect(await provider.runner?.wait(ref, call)).toMatchObject({ kind: 'exited', code: 0 });
  expect(await pidOf(bed)).not.toBe(first);
  await provider.host?.release({ key: 'p', handle: place }, { ...call, key: 'p' });
  await provider[Symbol.asyncDispose]();
  await expectNothingLeft(bed);
});

test('a plugin that was not locked is refused before it is started, also when it is launched again', async () => {
  await using bed = await createBed();
  const directory = await bed.program(localArgv, 'local');
  const lockFile = join(bed.directory, 'errand.lock');
  const options = { ...bed.options(directory, { lockFile }), name: 'local', relaunch: { firstPause: 10 } };
  await expect(openPluginProvider(options)).rejects.toMatchObject({ code: 'provider/untrusted' });
  expect(await readdir(bed.directory)).not.toContain('home');
  await lockPlugin(await readPluginDirectory(directory), lockFile);
  await using provider = await openPluginProvider(options);
  const executable = join(directory, 'local');
  await writeFile(executable, `${await readFile(executable, 'utf8')}\n# changed\n`);
  process.kill(await pidOf(bed), 'SIGKILL');
  const find = async () => {
    for await (const seen of provider.runner?.find('o', call) ?? []) expect(seen).toBeUndefined();
  };
  await expect
    .poll(() => find().catch((error: unknown) => (error as ErrandError).code), { timeout: 10_000 })
    .toBe('provider/untrusted');
});

test('something that is no provider is refused, and nothing of it is left', async () => {
  await using bed = await createBed();
  const directory = await bed.program([process.execPath, join(import.meta.dirname, '../programs/echo.ts')], 'echo');
  await expect(openPluginProvider({ ...bed.options(directory), name: 'echo' })).rejects.toMatchObject({
    code: 'environment/unsupported',
  });
  await expectNothingLeft(bed);
});
