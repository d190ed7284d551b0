import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Driver, SecretCall } from '@errand/contract';
import { createFakeInfra, fakeJournal } from './fake-infra.ts';
import type { FakeInfra } from './fake-infra.ts';

const call = (key: string, signal = new AbortController().signal): SecretCall => ({
  signal,
  log: () => undefined,
  key,
  epoch: 1,
  secret: async (reference) => `plain ${reference}`,
});
const spec = (name: string, config = {}, type = 'fake.thing') => ({ name, type, config, dependsOn: [] });

function driver(fake: FakeInfra, type = 'fake.thing'): Driver {
  const found = fake.infra.drivers.get(type);
  if (!found) throw new Error(`no ${type}`);
  return found;
}

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'errand-fake-infra-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

describe.each(['in memory', 'in a directory'])('%s', (where) => {
  const open = async () => createFakeInfra(where === 'in memory' ? {} : { directory: await directory() });

  test('a key makes one thing; another key of the same name is a conflict, unless names repeat', async () => {
    const fake = await open();
    const made = await driver(fake).create(spec('a', { size: 1 }), call('k1'));
    expect(await driver(fake).create(spec('a', { size: 1 }), call('k1'))).toEqual(made);
    await expect(driver(fake).create(spec('a'), call('k2'))).rejects.toMatchObject({ code: 'provider/conflict' });
    const many = driver(fake, 'fake.many');
    const first = await many.create(spec('m', {}, 'fake.many'), call('k3'));
    const second = await many.create(spec('m', {}, 'fake.many'), call('k4'));
    expect(second.providerId).not.toBe(first.providerId);
    await many.delete({ name: 'm', type: 'fake.many', providerId: first.providerId }, call('k5'));
    expect((await many.read({ name: 'm', type: 'fake.many' }, call('k')))?.providerId).toBe(second.providerId);
    expect(fake.things()).toHaveLength(2);
  });

  test('a half-made thing is finished by its key', async () => {
    const fake = await open();
    fake.rule({ on: 'create', calls: [1, 1], fault: { do: 'half' } });
    await expect(driver(fake).create(spec('a'), call('k1'))).rejects.toMatchObject({ code: 'provider/failed' });
    expect(await driver(fake).read({ name: 'a', type: 'fake.thing' }, call(''))).toMatchObject({ status: 'creating' });
    expect(await driver(fake).create(spec('a'), call('k1'))).toMatchObject({ status: 'running' });
    expect(fake.things()).toHaveLength(1);
  });
});

test('faults come when the script says so, before or after the effect', async () => {
  const died: string[] = [];
  const fake = createFakeInfra({ die: () => died.push('dead') });
  fake.rule({ on: 'create', name: 'b', calls: [2, 2], fault: { do: 'refuse', code: 'provider/throttled' } });
  fake.rule({ on: 'mutating', name: 'c', fault: { do: 'lose-reply' } });
  fake.rule({ on: 'create', name: 'd', fault: { do: 'die-after' } });
  await driver(fake).create(spec('b'), call('b'));
  await expect(driver(fake).create(spec('b'), call('b'))).rejects.toMatchObject({ code: 'provider/throttled' });
  await expect(driver(fake).create(spec('c'), call('c'))).rejects.toMatchObject({ code: 'provider/unreachable' });
  expect(fake.thing('c')).toBeDefined();
  const abort = new AbortController();
  const dying = driver(fake).create(spec('d'), call('d', abort.signal));
  await expect.poll(() => died).toEqual(['dead']);
  expect(fake.thing('d')).toBeDefined();
  abort.abort(new Error('given up'));
  await expect(dying).rejects.toThrow('given up');
  expect(fake.count('create', 'b')).toBe(2);
});

test('what one process made another one finds, with the calls that made it', async () => {
  const home = await directory();
  const config = { password: 'secret://env/P' };
  const made = await driver(createFakeInfra({ directory: home })).create(spec('odd / name', config), call('k'));
  expect(made.sensitive).toEqual(['password']);
  const later = createFakeInfra({ directory: home });
  expect(await driver(later).read({ name: 'x', type: 'fake.thing', providerId: made.providerId }, call(''))).toEqual(made);
  expect(Object.keys(later.things()[0]?.secrets ?? {})).toEqual(['secret://env/P']);
  await driver(later).delete({ name: 'odd / name', type: 'fake.thing' }, call('k2'));
  expect(later.things()).toEqual([]);
  expect(fakeJournal(home).map(({ method, key }) => [method, key])).toEqual([
    ['create', 'k'],
    ['delete', 'k2'],
  ]);
});

test('the validator misses a network that nobody makes', async () => {
  const { infra } = createFakeInfra();
  const plan = (reference: string) => ({
    id: 'p',
    createdAt: 0,
    desiredHash: '',
    inputs: {},
    actions: [
      {
        action: 'create' as const,
        resource: spec('db', { vpc_ref: reference }, 'infra.database'),
        changes: [],
        resolvedConfigHash: '',
      },
    ],
  });
  expect(await infra.validator?.validate(plan('missing-vpc'), call(''))).toMatchObject([{ severity: 'error', resource: 'db' }]);
  expect(await infra.validator?.validate(plan('${net.id}'), call(''))).toEqual([]);
});
