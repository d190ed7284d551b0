import { expect } from 'vitest';
import { entry, lock, put, refusal, wanted, writer } from './bed.ts';
import type { StateScenario } from './bed.ts';

const taking: StateScenario = {
  name: 'a lock is told to everybody with who, why and since when; released, it is nobody’s',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    const epoch = await lock(store, 7);
    expect(await other.look('default')).toStrictEqual({ epoch, lock: { ...wanted(7), epoch } });
    await other.releaseLock('default', epoch - 1);
    expect((await other.look('default')).lock).toBeDefined();
    await store.beatLock('default', epoch, 9_000);
    expect((await other.look('default')).lock?.heldUntil).toBe(9_000);
    await store.releaseLock('default', epoch);
    expect(await other.look('default')).toStrictEqual({ epoch, lock: undefined });
  },
};

const race: StateScenario = {
  name: 'of many who saw the same epoch, one gets the lock; the lineage is made once',
  run: async (bed) => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => bed.open()));
    for (const round of [0, 1]) {
      const { epoch } = await (stores[0] as (typeof stores)[0]).look('default');
      const taken = await Promise.all(
        stores.flatMap((store, at) =>
          [1, 2].map((turn) => store.takeLock(epoch, wanted(10 * at + turn), `lineage-${at}-${turn}`)),
        ),
      );
      expect(taken.filter((one) => one !== undefined).length, `round ${round}`).toBe(1);
    }
    const heads = await Promise.all(stores.map((store) => store.head('default')));
    expect(new Set(heads.map(({ lineage }) => lineage)).size).toBe(1);
    expect(heads[0]?.lineage).toMatch(/^lineage-/);
  },
};

const fencing: StateScenario = {
  name: 'whoever lost the lock is refused at every commit, and changes nothing',
  run: async (bed) => {
    const [old, fresh] = [await bed.open(), await bed.open()];
    const before = await lock(old, 1);
    await writer(old, before)('c1', put('a'), { kind: 'open', entry: entry('e1') });
    const after = await lock(fresh, 2);
    expect(after).toBeGreaterThan(before);
    expect(await refusal(writer(old, before)('c1', put('b'), { kind: 'close', id: 'e1' }))).toBe('infra/fenced');
    expect(await refusal(old.beatLock('default', before, 9_999))).toBe('infra/fenced');
    expect(await refusal(writer(old, after + 1)('c1', put('b')))).toBe('infra/fenced');
    await old.releaseLock('default', before);
    expect((await fresh.look('default')).lock?.holder.pid).toBe(2);
    expect([...(await fresh.read('default')).resources.keys()]).toEqual(['a']);
    expect((await fresh.journal('default')).length).toBe(1);
    await writer(fresh, after)('c2', put('b'));
    expect((await old.head('default')).serial).toBe(2);
  },
};

const breaking: StateScenario = {
  name: 'a lock that is taken away names its holder, who is fenced from then on',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    const epoch = await lock(store, 3);
    expect(await other.breakLock('default')).toMatchObject({ owner: 'user3@m', reason: 'a test', takenAt: 10 });
    expect(await other.breakLock('default')).toBeUndefined();
    expect((await other.look('default')).lock).toBeUndefined();
    expect(await refusal(writer(store, epoch)('c1', put('a')))).toBe('infra/fenced');
    expect(await refusal(store.beatLock('default', epoch, 9_999))).toBe('infra/fenced');
    await writer(other, await lock(other, 4))('c1', put('a'));
    expect((await store.read('default')).resources.size).toBe(1);
  },
};

const beating: StateScenario = {
  name: 'heartbeats and commits at once lose neither',
  run: async (bed) => {
    const store = await bed.open();
    const epoch = await lock(store);
    const write = writer(store, epoch);
    const work: Promise<unknown>[] = [];
    for (let at = 0; at < 20; at++) {
      work.push(write('c1', put(`r${at}`), { kind: 'open', entry: entry(`e${at}`) }));
      work.push(store.beatLock('default', epoch, 5_000 + at));
    }
    await Promise.all(work);
    expect((await store.read('default')).resources.size).toBe(20);
    expect((await store.journal('default')).length).toBe(20);
    expect((await store.head('default')).serial).toBe(20);
    expect((await store.look('default')).lock?.heldUntil).toBeGreaterThanOrEqual(5_000);
  },
};

export const lockScenarios: readonly StateScenario[] = [taking, race, fencing, breaking, beating];
