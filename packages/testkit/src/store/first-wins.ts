import { expect } from 'vitest';
import type { Outcome } from '@errand/core';
import { newRun } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

export const firstOutcomeWins: StoreScenario = {
  name: 'the outcome is set once: the first one stays',
  run: async (bed) => {
    const store = await bed.open();
    await store.openRun(newRun('run-1'));
    const outcome: Outcome = { kind: 'exited', code: 3 };
    const late: Outcome = { kind: 'lost', evidence: 'late' };
    await store.advanceRun('run-1', 1, 'end', { outcome, endedAt: 5 }, 5);
    expect(await store.advanceRun('run-1', 1, 'collected', { outcome: late }, 6)).toMatchObject({ outcome });
    expect(await store.noteRun('run-1', 1, { outcome: undefined }, 7)).toMatchObject({ outcome });
    expect(await store.advanceRun('run-1', 1, 'close', { outcome: late, closedAt: 8 }, 8)).toMatchObject({ outcome });
    expect(await store.run('run-1')).toMatchObject({ outcome, status: 'closed', closedAt: 8 });
    expect(JSON.stringify(await store.events({}))).not.toContain('late');
  },
};

export const firstCauseWins: StoreScenario = {
  name: 'the cause is set once: the first one stays, whoever watches',
  run: async (bed) => {
    const store = await bed.open();
    await store.openRun(newRun('run-1'));
    const cause = { kind: 'timed-out', after: 'pending' } as const;
    await store.noteRun('run-1', 1, { cause, problem: 'slow' }, 5);
    await store.claimRun('run-1', 1, { machine: 'm', pid: 2, started: '1' }, 9, 6);
    expect(await store.noteRun('run-1', 2, { cause: { kind: 'cancelled' } }, 7)).toMatchObject({ cause, problem: 'slow' });
    expect(await store.advanceRun('run-1', 2, 'end', { cause: { kind: 'cancelled' } }, 8)).toMatchObject({ cause });
    expect(await store.run('run-1')).toMatchObject({ cause });
  },
};
