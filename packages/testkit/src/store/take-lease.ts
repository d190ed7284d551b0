import { expect } from 'vitest';
import type { LeaseStatus } from '@errand/core';
import { later, leaseThatIs } from './samples.ts';
import { openMany, refusal } from './scenario.ts';
import type { StoreScenario } from './scenario.ts';

export const takeLease: StoreScenario = {
  name: 'an idle lease is taken with a new epoch, and has one holder at a time',
  run: async (bed) => {
    const store = await bed.open();
    const idle = await leaseThatIs(store, 'idle', 'lease-1');
    const taken = await store.takeLease('lease-1', 'run-1', 5);
    expect(taken).toStrictEqual({ ...idle, status: 'active', run: 'run-1', epoch: idle.epoch + 1 });
    expect(await refusal(store.takeLease('lease-1', 'run-2', 5))).toBe('lease/held');
    // Whoever has it may repeat the question after a lost reply.
    expect(await store.takeLease('lease-1', 'run-1', 5)).toStrictEqual(taken);
    expect(await refusal(store.advanceLease('lease-1', idle.epoch, 'release', {}, 6))).toBe('lease/fenced');
    await store.advanceLease('lease-1', taken.epoch, 'park', {}, 7);
    expect(await store.takeLease('lease-1', 'run-2', 8)).toMatchObject({ run: 'run-2', epoch: idle.epoch + 2 });
  },
};

export const takeLeaseRefused: StoreScenario = {
  name: 'a lease that is not ready or over is not taken',
  run: async (bed) => {
    const store = await bed.open();
    const answers: Readonly<Record<LeaseStatus, string | undefined>> = {
      pending: 'lease/held',
      active: 'lease/held',
      idle: undefined,
      releasing: 'lease/ended',
      released: 'lease/ended',
    };
    for (const [status, answer] of Object.entries(answers)) {
      await leaseThatIs(store, status as LeaseStatus, status);
      expect([status, await refusal(store.takeLease(status, 'run-1', 5))]).toStrictEqual([status, answer]);
    }
    await leaseThatIs(store, 'idle', 'expired');
    expect(await refusal(store.takeLease('expired', 'run-1', later))).toBe('lease/ended');
  },
};

export const takeLeaseRace: StoreScenario = {
  name: 'of 12 runs that want one idle lease, one gets it',
  run: async (bed) => {
    const store = await openMany(bed, 4);
    const idle = await leaseThatIs(store(0), 'idle', 'lease-1');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => refusal(store(turn).takeLease('lease-1', `run-${turn}`, 5))),
    );
    expect(answers.filter((answer) => answer === undefined).length).toBe(1);
    expect(answers.filter((answer) => answer === 'lease/held').length).toBe(11);
    const winner = `run-${answers.indexOf(undefined)}`;
    expect(await store(1).lease('lease-1')).toMatchObject({ run: winner, epoch: idle.epoch + 1, status: 'active' });
  },
};
