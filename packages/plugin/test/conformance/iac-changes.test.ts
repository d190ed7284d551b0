// Changes that go together over errand.v1: each has its own end, its own talk and its own signal.
import { expect, test } from 'vitest';
import type { Driver, ResourceSpec } from '@errand/contract';
import { createFakeInfra } from '@errand/testkit';
import type { FakeInfra } from '@errand/testkit';
import { throughIac } from '../iac.ts';
import { call } from '../stub.ts';

const spec = (name: string): ResourceSpec => ({
  name,
  type: 'fake.thing',
  config: { n: name, token: 'secret://env/T' },
  dependsOn: [],
});

/** The fake's driver, which says what it does. */
async function opened(fake: FakeInfra) {
  const plain = fake.infra.drivers.get('fake.thing') as Driver;
  const talking: Driver = {
    ...plain,
    create: async (wanted, given) => {
      given.log(`making ${wanted.name}`);
      return plain.create(wanted, given);
    },
  };
  const connected = await throughIac({ ...fake.infra, drivers: new Map([['fake.thing', talking]]) });
  return { connected, driver: connected.infra.drivers.get('fake.thing') as Driver };
}

test('of many at once each gets its own answer, error, talk and secret', async () => {
  const fake = createFakeInfra();
  fake.rule({ on: 'create', name: 'n13', fault: { do: 'refuse', code: 'provider/quota', message: 'no more of it' } });
  fake.rule({ on: 'create', name: 'n14', fault: { do: 'delay', ms: 50 } });
  const { connected, driver } = await opened(fake);
  await using _ = connected;
  const names = Array.from({ length: 250 }, (_one, at) => `n${at}`);
  const talk = new Map<string, string[]>();
  const made = await Promise.allSettled(
    names.map((name) => {
      const log = (line: string) => void talk.set(name, [...(talk.get(name) ?? []), line]);
      return driver.create(spec(name), { ...call({ key: `key of ${name}` }), log, secret: async () => 'hidden' });
    }),
  );
  for (const [at, name] of names.entries()) {
    const end = made[at];
    if (name === 'n13') {
      const error = { code: 'provider/quota', retry: 'later', message: 'no more of it' };
      expect(end).toMatchObject({ status: 'rejected', reason: error });
    } else {
      expect(end).toMatchObject({ status: 'fulfilled', value: { name, providerId: fake.thing(name)?.id, outputs: { n: name } } });
    }
  }
  expect(fake.calls.filter(({ method }) => method === 'create').map(({ name, key }) => [name, key])).toEqual(
    expect.arrayContaining(names.map((name) => [name, `key of ${name}`])),
  );
  expect(Object.keys(fake.thing('n1')?.secrets ?? {})).toEqual(['secret://env/T']);
  // Talk may be dropped; what comes is for the right one.
  for (const [name, lines] of talk) expect(lines).toEqual([`making ${name}`]);
  expect(talk.size).toBeGreaterThan(50);
});

test('a signal ends its own change only; the last one that goes ends the call', async () => {
  const fake = createFakeInfra();
  fake.rule({ on: 'create', fault: { do: 'hang' } });
  const { connected, driver } = await opened(fake);
  await using _ = connected;
  const [one, other] = [new AbortController(), new AbortController()];
  const [first, second] = [one, other].map((controller, at) =>
    driver.create(spec(`s${at}`), call({ key: `k${at}`, signal: controller.signal })).catch((error: unknown) => error),
  );
  await expect.poll(() => fake.count('create')).toBe(2);
  one.abort(new Error('not this one'));
  expect(await first).toMatchObject({ message: 'not this one' });
  fake.goodManners();
  const later = await driver.create(spec('later'), call({ key: 'later' }));
  expect(later.name).toBe('later');
  other.abort(new Error('nor this one'));
  expect(await second).toMatchObject({ message: 'nor this one' });
  const gone = AbortSignal.abort(new Error('too late'));
  const late = [0, 1].map((at) => driver.create(spec(`l${at}`), call({ key: `l${at}`, signal: gone })));
  expect(await Promise.allSettled(late)).toMatchObject([
    { reason: { message: 'too late' } },
    { reason: { message: 'too late' } },
  ]);
  expect(fake.things().map(({ name }) => name)).toEqual(['later']);
});
