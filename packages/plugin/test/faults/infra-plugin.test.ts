// Resources behind a plugin that dies: what its callers see, and what the next process knows.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Infra, ResourceSpec } from '@errand/contract';
import { fakeJournal } from '@errand/testkit';
import { openPluginProvider } from '../../src/launch/provider.ts';
import { createBed, expectNothingLeft, records, until } from '../bed.ts';
import type { Bed } from '../bed.ts';
import { calls } from '../iac-calls.ts';
import { all, ask, call } from '../stub.ts';

const argv = [process.execPath, join(import.meta.dirname, '../programs/fake-infra.ts')];
const spec = (name: string, type = 'fake.thing'): ResourceSpec => ({ name, type, config: { label: name }, dependsOn: [] });
const pidOf = async (bed: Bed) => ((await records(bed.home))[0] as { plugin: { pid: number } }).plugin.pid;

async function opened(bed: Bed, config: Record<string, string>) {
  const options = { ...bed.options(await bed.program(argv, 'fake')), name: 'fake', relaunch: { firstPause: 10 } };
  return await openPluginProvider({ ...options, config, secret: async () => 'value' });
}

function infraOf({ infra }: { infra?: Infra }): Infra {
  if (!infra) throw new Error('it has no infra');
  return infra;
}

test('a plugin that is killed is launched again by the next call, with its config, and the same key adopts', async () => {
  await using bed = await createBed();
  const directory = join(bed.directory, 'platform');
  await using provider = await opened(bed, { directory, token: 'secret://env/T' });
  const { drivers, enumerator, stateBackend } = infraOf(provider);
  const driver = drivers.get('fake.slow');
  await stateBackend?.configure('fake', {}, call());
  const slow: ResourceSpec = { ...spec('a', 'fake.slow'), config: { ms: 2000 } };
  const making = driver?.create(slow, call({ key: 'k' })).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const first = await pidOf(bed);
  process.kill(first, 'SIGKILL');
  expect(await making).toMatchObject({ code: 'provider/unreachable', retry: 'safe' });
  const made = await driver?.create({ ...slow, config: {} }, call({ key: 'k' }));
  expect(await driver?.create({ ...slow, config: {} }, call({ key: 'k' }))).toEqual(made);
  expect(await pidOf(bed)).not.toBe(first);
  expect(await all(enumerator?.all('fake.slow', ask()))).toEqual([made]);
  expect(await driver?.adopt?.(slow)).toEqual({ name: 'a', type: 'fake.slow' });
  await stateBackend?.lock('x', call({ key: 'l' }));
  expect(fakeJournal(directory).filter(({ method }) => method === 'state.configure')).toHaveLength(2);
  await driver?.delete({ name: 'a', type: 'fake.slow' }, call());
  expect(await driver?.read({ name: 'a', type: 'fake.slow' }, ask())).toBeUndefined();
  await provider[Symbol.asyncDispose]();
  await expectNothingLeft(bed);
});

test('a config that its schema does not take is refused with what is wrong in it, and nothing is left', async () => {
  await using bed = await createBed();
  await expect(opened(bed, { regoin: 'x' })).rejects.toMatchObject({
    code: 'config/invalid',
    message: expect.stringContaining('regoin') as string,
  });
  await expectNothingLeft(bed);
});

test('a plugin that dies at each call: a typed error that may be repeated, and nothing is left of any of them', async () => {
  await using bed = await createBed();
  const argvDying = [...argv, 'die'];
  const options = {
    ...bed.options(await bed.program(argvDying, 'fake')),
    name: 'fake',
    relaunch: { firstPause: 1, longestPause: 1 },
  };
  await using provider = await openPluginProvider({ ...options, config: {} });
  const told: Record<string, unknown> = {};
  // One of each service; the others go the same way.
  const names = Object.keys({ 'IaCProviderRequired/Status': 0, ...calls }).filter(
    (name, at, list) => list.findIndex((one) => one.split('/')[0] === name.split('/')[0]) === at,
  );
  for (const name of names) {
    told[name] = await calls[name]?.(infraOf(provider))?.then(
      () => 'fine',
      ({ code, retry }: { code: string; retry: string }) => [code, retry],
    );
  }
  expect(told).toEqual(Object.fromEntries(names.map((name) => [name, ['provider/unreachable', 'safe']])));
  expect(names.length).toBeGreaterThan(12);
  await provider[Symbol.asyncDispose]();
  // The last one died by itself, and its record goes a moment later.
  await until(async () => (await records(bed.home)).length === 0);
  await expectNothingLeft(bed);
});
