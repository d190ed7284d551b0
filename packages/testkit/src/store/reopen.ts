import { expect } from 'vitest';
import { leaseThatIs, newRun } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

export const reopen: StoreScenario = {
  name: 'reopening keeps everything, and the owner',
  run: async (bed) => {
    const first = await bed.open();
    await first.openRun(newRun('run-1', { key: 'k' }));
    await first.advanceRun('run-1', 1, 'end', { outcome: { kind: 'exited', code: 7 } }, 5);
    await leaseThatIs(first, 'idle', 'lease-1');
    const before = [await first.run('run-1'), await first.lease('lease-1'), await first.events({})];
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    const second = await bed.open();
    expect([await second.run('run-1'), await second.lease('lease-1'), await second.events({})]).toStrictEqual(before);
    expect(second.owner).toBe(first.owner);
    expect(second.owner.length).toBeGreaterThanOrEqual(16);
    expect((await second.openRun(newRun('run-2', { key: 'k' }))).created).toBe(false);
  },
};

export const openRace: StoreScenario = {
  name: 'several processes that open a fresh database at once agree on it',
  run: async (bed) => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => bed.open()));
    expect(new Set(stores.map((store) => store.owner)).size).toBe(1);
    await Promise.all(stores.map((store, turn) => store.openRun(newRun(`run-${turn}`))));
    expect((await stores[0]?.runs({}))?.length).toBe(6);
  },
};
