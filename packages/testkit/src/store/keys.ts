import { expect } from 'vitest';
import { newRun } from './samples.ts';
import { openMany } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

export const keys: StoreScenario = {
  name: 'the same key twice gives the run that is there',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    const first = await store.openRun(newRun('run-1', { key: 'k', digest: 'one' }));
    await store.advanceRun('run-1', 1, 'lease', {}, 2);
    const second = await other.openRun(newRun('run-2', { key: 'k', digest: 'two', now: 9 }));
    expect(first.created).toBe(true);
    expect(second).toMatchObject({ created: false, run: { id: 'run-1', digest: 'one', status: 'leasing', createdAt: 1 } });
    expect(await store.run('run-2')).toBe(undefined);
    // Neither another key nor none at all is the same key.
    expect((await other.openRun(newRun('run-3', { key: 'K' }))).created).toBe(true);
    expect((await other.openRun(newRun('run-4'))).created).toBe(true);
    expect((await other.openRun(newRun('run-5'))).created).toBe(true);
    // A repeated call is not a second run.
    expect((await other.openRun(newRun('run-5'))).created).toBe(false);
    expect((await store.events({ id: 'run-5' })).length).toBe(1);
  },
};

export const keyRace: StoreScenario = {
  name: 'of 20 openers of one key at once, one creates the run and all get it',
  run: async (bed) => {
    const store = await openMany(bed, 4);
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => store(turn).openRun(newRun(`run-${turn}`, { key: 'k', spec: labelled }))),
    );
    const created = opened.filter((result) => result.created);
    expect(created.length).toBe(1);
    expect(new Set(opened.map((result) => result.run.id))).toStrictEqual(new Set([created[0]?.run.id]));
    expect((await store(0).runs({})).length).toBe(1);
    expect((await store(0).runs({ labels: labelled.labels })).length).toBe(1);
    expect((await store(1).events({})).map((event) => event.type)).toStrictEqual(['opened']);
  },
};

const labelled = { ...newRun('').spec, labels: { a: 'b' } };
