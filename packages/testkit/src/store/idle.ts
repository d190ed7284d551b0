import { expect } from 'vitest';
import type { Wanted } from '@errand/core';
import { later, leaseSpec, leaseThatIs, newLease } from './samples.ts';
import { openMany } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

const wanted = (run: string, keys: readonly string[], more: Partial<Wanted> = {}): Wanted => ({
  keys,
  run,
  lastsUntil: 0,
  now: 5,
  ...more,
});

export const takeIdle: StoreScenario = {
  name: 'an idle lease is taken by its reuse key, the first key first, the longest-lasting lease first',
  run: async (bed) => {
    const store = await bed.open();
    const idle = (id: string, reuseKey: string, expiresAt: number) => leaseThatIs(store, 'idle', id, { reuseKey, expiresAt });
    await idle('short', 'a', 100);
    const long = await idle('long', 'a', 200);
    await idle('other', 'b', 300);
    await leaseThatIs(store, 'idle', 'without');
    expect(await store.takeIdle(wanted('run-1', ['none']))).toBe(undefined);
    expect(await store.takeIdle(wanted('run-1', []))).toBe(undefined);
    const taken = await store.takeIdle(wanted('run-1', ['a', 'b'], { reuseKey: 'c' }));
    expect(taken).toStrictEqual({ ...long, status: 'active', run: 'run-1', epoch: long.epoch + 1, reuseKey: 'c' });
    expect(await store.lease('long')).toStrictEqual(taken);
    // One that would end too soon is left alone, and so is one that is in use.
    expect(await store.takeIdle(wanted('run-2', ['a', 'b'], { lastsUntil: 101 }))).toMatchObject({
      id: 'other',
      reuseKey: undefined,
    });
    expect(await store.takeIdle(wanted('run-3', ['c']))).toBe(undefined);
    await store.advanceLease('long', long.epoch + 1, 'park', {}, 6);
    expect(await store.takeIdle(wanted('run-3', ['c']))).toMatchObject({ id: 'long', run: 'run-3', used: true });
    expect((await store.leases({ reuseKey: 'a' })).map((lease) => lease.id)).toStrictEqual(['short']);
  },
};

export const takeIdleRace: StoreScenario = {
  name: 'of 12 runs that want one of 5 idle leases, 5 get one each',
  run: async (bed) => {
    const store = await openMany(bed, 4);
    for (let n = 0; n < 5; n++) await leaseThatIs(store(0), 'idle', `lease-${n}`, { reuseKey: 'a' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => store(turn).takeIdle(wanted(`run-${turn}`, ['a'], { reuseKey: 'a' }))),
    );
    const taken = answers.flatMap((lease) => lease ?? []);
    expect(new Set(taken.map((lease) => lease.id)).size).toBe(5);
    expect(taken.length).toBe(5);
    for (const lease of taken) expect(await store(1).lease(lease.id)).toStrictEqual(lease);
  },
};

export const openWarm: StoreScenario = {
  name: 'however many fill a pool at once, it gets no more than it should have',
  run: async (bed) => {
    const store = await openMany(bed, 4);
    const fill = (turn: number, round: string, most: number) =>
      store(turn).openWarm({ ...newLease(`${round}-${turn}`), reuseKey: 'pool' }, most);
    const count = async (answers: Promise<readonly unknown[]>) => (await answers).filter((lease) => lease !== undefined).length;
    const together = (round: string, most: number) =>
      Promise.all(Array.from({ length: 12 }, (_, turn) => fill(turn, round, most)));
    await store(0).openLease(newLease('elsewhere', { reuseKey: 'other' }));
    expect(await count(together('first', 3))).toBe(3);
    expect(await count(together('second', 3))).toBe(0);
    // One that is taken leaves room for another, and so does one that is given up.
    const [one, two] = await store(0).leases({ reuseKey: 'pool' });
    for (const lease of [one, two]) await store(0).advanceLease(lease?.id ?? '', 1, 'granted', {}, 6);
    await store(0).advanceLease(one?.id ?? '', 1, 'park', {}, 6);
    expect(await count(together('third', 3))).toBe(1);
    await store(0).takeIdle(wanted('run-1', ['pool']));
    await store(0).advanceLease(two?.id ?? '', 1, 'release', {}, 6);
    expect(await count(together('fourth', 3))).toBe(1);
    expect(await store(1).openWarm({ ...newLease('last', { expiresAt: later }), reuseKey: 'empty' }, 0)).toBe(undefined);
  },
};

export const providersUsed: StoreScenario = {
  name: 'every provider with every set of options that a lease was on is told once',
  run: async (bed) => {
    const store = await bed.open();
    expect(await store.providersUsed()).toStrictEqual([]);
    const on = (id: string, provider: string, options: (typeof leaseSpec)['options']) =>
      store.openLease(newLease(id, { spec: { ...leaseSpec, provider, options } }));
    await on('a', 'docker', { engine: 'unix:///a "b"' });
    await on('b', 'docker', {});
    await on('c', 'local', {});
    await on('d', 'docker', { engine: 'unix:///a "b"' });
    await leaseThatIs(store, 'released', 'e');
    const used = await store.providersUsed();
    expect(used.length).toBe(3);
    expect(used).toEqual(
      expect.arrayContaining([
        { provider: 'docker', options: { engine: 'unix:///a "b"' } },
        { provider: 'docker', options: {} },
        { provider: 'local', options: {} },
      ]),
    );
  },
};
