import { expect } from 'vitest';
import type { RunFilter } from '@errand/core';
import { leaseThatIs, newLease, newRun, runSpec, runThatIs } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

export const runFilters: StoreScenario = {
  name: 'runs are listed newest first, by status, label and lease',
  run: async (bed) => {
    const store = await bed.open();
    const labelled = (id: string, now: number, labels: Record<string, string>) =>
      store.openRun(newRun(id, { now, spec: { ...runSpec, labels } }));
    await labelled('a', 10, { team: 'x', kind: 'test' });
    await labelled('b', 30, { team: 'x' });
    await labelled('c', 20, { team: '%', 'a.b/c"]': 'v' });
    await labelled('d', 20, { team: '', x: 'team' });
    await store.advanceRun('a', 1, 'lease', { lease: 'lease-1' }, 40);
    await store.advanceRun('b', 1, 'end', {}, 40);
    await store.advanceRun('b', 1, 'close', {}, 40);
    const ids = async (filter: RunFilter) => (await store.runs(filter)).map((run) => run.id).join('');
    expect(await ids({})).toBe('bdca');
    expect(await ids({ limit: 2 })).toBe('bd');
    expect(await ids({ limit: 0 })).toBe('');
    expect(await ids({ open: true })).toBe('dca');
    expect(await ids({ open: false })).toBe('b');
    expect(await ids({ open: true, limit: 1 })).toBe('d');
    expect(await ids({ statuses: ['leasing', 'closed'] })).toBe('ba');
    expect(await ids({ statuses: ['running'] })).toBe('');
    expect(await ids({ statuses: [] })).toBe('');
    expect(await ids({ lease: 'lease-1' })).toBe('a');
    expect(await ids({ labels: {} })).toBe('bdca');
    expect(await ids({ labels: { team: 'x' } })).toBe('ba');
    expect(await ids({ labels: { team: 'x', kind: 'test' } })).toBe('a');
    expect(await ids({ labels: { team: '%' } })).toBe('c');
    expect(await ids({ labels: { team: '' } })).toBe('d');
    expect(await ids({ labels: { 'a.b/c"]': 'v' } })).toBe('c');
    expect(await ids({ labels: { kind: 'other' } })).toBe('');
    expect(await ids({ labels: { team: 'x' }, open: true, statuses: ['leasing', 'queued'], lease: 'lease-1', limit: 5 })).toBe(
      'a',
    );
  },
};

export const leaseFilters: StoreScenario = {
  name: 'leases are listed newest first, by status',
  run: async (bed) => {
    const store = await bed.open();
    await store.openLease(newLease('a', { now: 30 }));
    await leaseThatIs(store, 'idle', 'b', { now: 10 });
    await leaseThatIs(store, 'released', 'c', { now: 20 });
    const ids = async (filter: Parameters<typeof store.leases>[0]) =>
      (await store.leases(filter)).map((lease) => lease.id).join('');
    expect(await ids({})).toBe('acb');
    expect(await ids({ limit: 1 })).toBe('a');
    expect(await ids({ open: true })).toBe('ab');
    expect(await ids({ open: false })).toBe('c');
    expect(await ids({ statuses: ['idle', 'released'] })).toBe('cb');
    expect(await ids({ statuses: ['idle', 'released'], limit: 1 })).toBe('c');
    expect(await ids({ statuses: [] })).toBe('');
  },
};

export const prefixes: StoreScenario = {
  name: 'a beginning finds what begins so: no wildcards, no other case',
  run: async (bed) => {
    const store = await bed.open();
    const names = ['01abc', '01abd', '01Abe', '%x', '_x', 'xx', 'xx\u{10fffe}', '\u2603 snow'];
    for (const name of names) {
      await runThatIs(store, 'queued', name);
      await leaseThatIs(store, 'pending', name);
    }
    const found: readonly (readonly [string, readonly string[]])[] = [
      ['01ab', ['01abc', '01abd']],
      ['01abc', ['01abc']],
      ['01A', ['01Abe']],
      ['%', ['%x']],
      ['_', ['_x']],
      ['01ab_', []],
      // A whole id means itself, not also what begins with it.
      ['xx', ['xx']],
      ['x', ['xx', 'xx\u{10fffe}']],
      ['\u2603', ['\u2603 snow']],
      ['nothing', []],
      ['01abc\0', []],
      ['', []],
    ];
    for (const [prefix, ids] of found) {
      expect([prefix, (await store.findRuns(prefix)).map((run) => run.id)]).toStrictEqual([prefix, ids]);
      expect([prefix, (await store.findLeases(prefix)).map((lease) => lease.id)]).toStrictEqual([prefix, ids]);
    }
  },
};
