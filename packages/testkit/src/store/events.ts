import { expect } from 'vitest';
import type { StoredEvent } from '@errand/core';
import { holder, leaseThatIs, newLease, newRun, runSpec } from './samples.ts';
import { openMany } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

export const eventOrder: StoreScenario = {
  name: 'events tell what happened, in order, for one subject or all',
  run: async (bed) => {
    const store = await bed.open();
    await store.openRun(newRun('run-1'));
    await store.transaction(async (tx) => {
      await tx.openLease(newLease('lease-1', { run: 'run-1' }));
      await tx.advanceRun('run-1', 1, 'lease', { lease: 'lease-1' }, 2);
    });
    await store.advanceLease('lease-1', 1, 'granted', {}, 3);
    await store.claimRun('run-1', 1, holder(2), 9, 4);
    await store.noteRun('run-1', 2, { problem: 'slow' }, 5);
    await store.advanceRun('run-1', 2, 'end', { outcome: { kind: 'exited', code: 0 } }, 6);
    const all = await store.events({});
    const told = all.map((event) => `${event.subject} ${event.type} ${event.at}`);
    expect(told).toStrictEqual([
      'run opened 1',
      'lease opened 1',
      'run lease 2',
      'lease granted 3',
      'lease claimed 4',
      'run claimed 4',
      'run noted 5',
      'run end 6',
    ]);
    expect(all.map((event) => event.seq)).toStrictEqual(all.map((event) => event.seq).toSorted((a, b) => a - b));
    const mine = await store.events({ id: 'run-1' });
    expect(mine).toStrictEqual(all.filter((event) => event.id === 'run-1'));
    expect(mine.at(-1)?.data).toMatchObject({ status: 'closing', epoch: 2, outcome: { kind: 'exited', code: 0 } });
    expect(await store.events({ id: 'run-1', limit: 2 })).toStrictEqual(mine.slice(0, 2));
    expect(await store.events({ after: all[2]?.seq ?? 0 })).toStrictEqual(all.slice(3));
    expect(await store.events({ after: all[2]?.seq ?? 0, limit: 1 })).toStrictEqual(all.slice(3, 4));
    expect(await store.events({ id: 'run' })).toStrictEqual([]);
  },
};

export const eventSecrecy: StoreScenario = {
  name: 'events carry no environment values and no handles',
  run: async (bed) => {
    const store = await bed.open();
    const spec = { ...runSpec, env: { NAME: 'env-value' } };
    await store.openRun(newRun('run-1', { spec }));
    await leaseThatIs(store, 'active', 'lease-1', { run: 'run-1' });
    const state = 'handle-state';
    await store.noteRun('run-1', 1, { job: { kind: 'job', provider: 'p', version: 1, state } }, 5);
    await store.advanceLease('lease-1', 1, 'renewed', { place: { kind: 'place', provider: 'p', version: 1, state } }, 5);
    const text = JSON.stringify(await store.events({}));
    expect(text).toContain('lease-1');
    expect(text).not.toContain('env-value');
    expect(text).not.toContain('handle-state');
  },
};

export const eventTail: StoreScenario = {
  name: 'a reader that goes on after the last event it saw misses none, whatever writes at once',
  run: async (bed) => {
    const store = await openMany(bed, 4);
    const runs = Array.from({ length: 60 }, (_, turn) => `run-${turn}`);
    const seen: StoredEvent[] = [];
    let writing = true;
    const tail = async () => {
      const reader = await bed.open();
      for (let last = false; ;) {
        const news = await reader.events({ after: seen.at(-1)?.seq ?? 0, limit: 7 });
        seen.push(...news);
        if (news.length > 0) continue;
        if (last) return;
        last = !writing;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const write = async () => {
      await Promise.all(
        runs.map(async (id, turn) => {
          await store(turn).openRun(newRun(id));
          await store(turn + 1).advanceRun(id, 1, 'end', {}, 2);
        }),
      );
      writing = false;
    };
    await Promise.all([tail(), write()]);
    expect(seen).toStrictEqual(await store(0).events({}));
    expect(seen.length).toBe(120);
  },
};
