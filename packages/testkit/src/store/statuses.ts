// The tables are written out again here on purpose: a change of the model must be made in two places to pass.
import { expect } from 'vitest';
import type { LeaseEvent, LeaseStatus, RunEvent, RunStatus } from '@errand/core';
import { leaseThatIs, runThatIs } from './samples.ts';
import { refusal } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

const runEvents: readonly RunEvent[] = ['lease', 'realize', 'start', 'started', 'end', 'collected', 'close'];
const runTable: Readonly<Record<RunStatus, Partial<Record<RunEvent, RunStatus>>>> = {
  queued: { lease: 'leasing', end: 'closing' },
  leasing: { lease: 'leasing', realize: 'realizing', end: 'closing' },
  realizing: { start: 'running', end: 'closing' },
  running: { started: 'running', end: 'closing' },
  closing: { collected: 'closing', close: 'closed' },
  closed: {},
};

const leaseEvents: readonly LeaseEvent[] = [
  'granted',
  'provisioned',
  'renewed',
  'park',
  'take',
  'release',
  'expire',
  'refused',
  'confirmed',
];
const leaseTable: Readonly<Record<LeaseStatus, Partial<Record<LeaseEvent, LeaseStatus>>>> = {
  pending: { granted: 'active', provisioned: 'pending', release: 'releasing', expire: 'releasing' },
  active: { renewed: 'active', provisioned: 'active', park: 'idle', release: 'releasing', expire: 'releasing' },
  idle: { renewed: 'idle', take: 'active', release: 'releasing', expire: 'releasing' },
  releasing: { refused: 'releasing', confirmed: 'released' },
  released: {},
};

export const runStatusTable: StoreScenario = {
  name: 'a run takes the events of its table and no other',
  run: async (bed) => {
    const store = await bed.open();
    for (const status of Object.keys(runTable) as RunStatus[]) {
      for (const event of runEvents) {
        const before = await runThatIs(store, status, `${status}-${event}`);
        const told = (await store.events({ id: before.id })).length;
        const to = runTable[status][event];
        const refused = await refusal(store.advanceRun(before.id, before.epoch, event, { problem: 'new' }, 3));
        const after = await store.run(before.id);
        expect([status, event, refused]).toStrictEqual([status, event, to ? undefined : 'run/wrong-status']);
        expect(after).toStrictEqual(to ? { ...before, status: to, problem: 'new' } : before);
        expect((await store.events({ id: before.id })).length - told).toBe(to ? 1 : 0);
      }
    }
  },
};

export const leaseStatusTable: StoreScenario = {
  name: 'a lease takes the events of its table and no other',
  run: async (bed) => {
    const store = await bed.open();
    for (const status of Object.keys(leaseTable) as LeaseStatus[]) {
      for (const event of leaseEvents) {
        const before = await leaseThatIs(store, status, `${status}-${event}`);
        const told = (await store.events({ id: before.id })).length;
        const to = leaseTable[status][event];
        const refused = await refusal(store.advanceLease(before.id, before.epoch, event, { problem: 'new' }, 3));
        const after = await store.lease(before.id);
        // A new holder has a new epoch, however it came.
        const epoch = event === 'take' ? before.epoch + 1 : before.epoch;
        expect([status, event, refused]).toStrictEqual([status, event, to ? undefined : 'lease/wrong-status']);
        expect(after).toStrictEqual(to ? { ...before, status: to, epoch, problem: 'new' } : before);
        expect((await store.events({ id: before.id })).length - told).toBe(to ? 1 : 0);
      }
    }
  },
};

export const unknownIds: StoreScenario = {
  name: 'what is not there is said to be unknown',
  run: async (bed) => {
    const store = await bed.open();
    expect(await refusal(store.advanceRun('no', 1, 'lease', {}, 1))).toBe('run/unknown');
    expect(await refusal(store.noteRun('no', 1, {}, 1))).toBe('run/unknown');
    expect(await refusal(store.beatRun('no', 1, 1))).toBe('run/unknown');
    expect(await refusal(store.cancelRun('no', 'ask', 1))).toBe('run/unknown');
    expect(await refusal(store.advanceLease('no', 1, 'granted', {}, 1))).toBe('lease/unknown');
    expect(await refusal(store.takeLease('no', 'run-1', 1))).toBe('lease/unknown');
    expect(await store.claimRun('no', 0, { machine: 'm', pid: 1, started: '1' }, 1, 1)).toBe(undefined);
    expect(await refusal(store.letGoRun('no', 1))).toBe(undefined);
    expect(await store.events({})).toStrictEqual([]);
  },
};
