import { expect } from 'vitest';
import { runThatIs } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

export const cancel: StoreScenario = {
  name: 'anybody may ask to cancel; force is never lowered; a run that has ended is left alone',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    for (const status of ['queued', 'leasing', 'realizing', 'running'] as const) {
      const before = await runThatIs(store, status, status);
      expect(await other.cancelRun(status, 'ask', 5)).toStrictEqual({ ...before, cancel: 'ask' });
      expect(await other.cancelRun(status, 'ask', 6)).toMatchObject({ cancel: 'ask' });
      expect(await other.cancelRun(status, 'force', 7)).toMatchObject({ cancel: 'force' });
      expect(await other.cancelRun(status, 'ask', 8)).toMatchObject({ cancel: 'force' });
      expect(await store.run(status)).toStrictEqual({ ...before, cancel: 'force' });
      const asked = (await store.events({ id: status })).filter((event) => event.type === 'cancel');
      expect(asked.map((event) => [event.at, event.data])).toStrictEqual([
        [5, { how: 'ask' }],
        [7, { how: 'force' }],
      ]);
    }
    for (const status of ['closing', 'closed'] as const) {
      const before = await runThatIs(store, status, status);
      expect(await other.cancelRun(status, 'force', 5)).toBe(undefined);
      expect(await store.run(status)).toStrictEqual(before);
    }
  },
};
