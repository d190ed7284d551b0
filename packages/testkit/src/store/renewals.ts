import { expect } from 'vitest';
import { leaseThatIs, newRun } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

export const renewals: StoreScenario = {
  name: 'an expiry and a claim are extended, never shortened',
  run: async (bed) => {
    const store = await bed.open();
    await leaseThatIs(store, 'active', 'lease-1', { expiresAt: 100 });
    expect(await store.advanceLease('lease-1', 1, 'renewed', { expiresAt: 200 }, 5)).toMatchObject({ expiresAt: 200 });
    expect(await store.advanceLease('lease-1', 1, 'renewed', { expiresAt: 150 }, 6)).toMatchObject({ expiresAt: 200 });
    expect(await store.advanceLease('lease-1', 1, 'park', { expiresAt: 0 }, 7)).toMatchObject({ expiresAt: 200 });
    expect(await store.lease('lease-1')).toMatchObject({ expiresAt: 200 });

    await store.openRun(newRun('run-1', { heldUntil: 100 }));
    expect(await store.beatRun('run-1', 1, 300)).toMatchObject({ heldUntil: 300, status: 'queued' });
    expect(await store.beatRun('run-1', 1, 250)).toMatchObject({ heldUntil: 300 });
    // A beat brings news, such as a wish to cancel.
    await store.cancelRun('run-1', 'ask', 5);
    expect(await store.beatRun('run-1', 1, 400)).toMatchObject({ heldUntil: 400, cancel: 'ask' });
  },
};
