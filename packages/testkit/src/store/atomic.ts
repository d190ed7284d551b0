import { expect } from 'vitest';
import { newLease, newRun } from './samples.ts';
import { refusal } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

export const atomic: StoreScenario = {
  name: 'a transaction that throws leaves nothing, events included',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    await store.openRun(newRun('run-1'));
    const before = { run: await store.run('run-1'), events: await store.events({}) };
    const failed = store.transaction(async (tx) => {
      await tx.openLease(newLease('lease-1', { run: 'run-1' }));
      await tx.advanceRun('run-1', 1, 'lease', { lease: 'lease-1' }, 5);
      await tx.openRun(newRun('run-2', { key: 'k' }));
      expect(await tx.run('run-1')).toMatchObject({ status: 'leasing', lease: 'lease-1' });
      expect((await tx.events({ id: 'lease-1' })).length).toBe(1);
      throw new Error('in the middle');
    });
    expect(await refusal(failed)).toBe('Error: in the middle');
    for (const handle of [store, other]) {
      expect(await handle.run('run-1')).toStrictEqual(before.run);
      expect(await handle.lease('lease-1')).toBe(undefined);
      expect(await handle.runByKey('k')).toBe(undefined);
      expect(await handle.events({})).toStrictEqual(before.events);
    }
    // A refusal of the store itself undoes the rest just so.
    const fenced = store.transaction(async (tx) => {
      await tx.openLease(newLease('lease-1'));
      await tx.advanceRun('run-1', 7, 'lease', {}, 5);
    });
    expect(await refusal(fenced)).toBe('run/fenced');
    expect(await other.lease('lease-1')).toBe(undefined);
  },
};

export const isolated: StoreScenario = {
  name: 'nobody sees what a transaction has not committed, also not on its own handle',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    await store.openRun(newRun('run-1'));
    const [inside, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const undone = store.transaction(async (tx) => {
      await tx.openLease(newLease('lease-1'));
      inside.resolve();
      await goOn.promise;
      await tx.advanceRun('run-1', 1, 'lease', { lease: 'lease-1' }, 5);
      throw new Error('undone');
    });
    await inside.promise;
    // They may wait for the end of the transaction, but whatever they see must be true.
    const seen = Promise.all([store.lease('lease-1'), other.lease('lease-1'), store.events({ id: 'lease-1' })]);
    const written = [store.cancelRun('run-1', 'ask', 6), other.openRun(newRun('run-2'))];
    // Time for those that do not wait.
    await new Promise((resolve) => setTimeout(resolve, 20));
    goOn.resolve();
    expect(await refusal(undone)).toBe('Error: undone');
    expect(await seen).toStrictEqual([undefined, undefined, []]);
    expect(await Promise.all(written)).toMatchObject([{ cancel: 'ask', status: 'queued' }, { created: true }]);
    expect(await other.run('run-1')).toMatchObject({ status: 'queued', lease: undefined, cancel: 'ask' });
    expect(await store.run('run-2')).toMatchObject({ status: 'queued' });
  },
};

export const counting: StoreScenario = {
  name: 'transactions that read and then write do not lose each other',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    await store.openRun(newRun('run-1'));
    const step = (handle: typeof store, at: number) =>
      handle.transaction(async (tx) => {
        // The beat locks the row, so what is read after it is still so at the commit.
        await tx.beatRun('run-1', 1, at);
        const seals = (await tx.run('run-1'))?.seals ?? [];
        await tx.noteRun('run-1', 1, { seals: [...seals, { epoch: 1, bytes: at }] }, at);
      });
    await Promise.all(Array.from({ length: 20 }, (_, at) => step(at % 2 ? store : other, at)));
    const bytes = (await store.run('run-1'))?.seals.map((seal) => seal.bytes) ?? [];
    expect(bytes.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 20 }, (_, at) => at));
  },
};
