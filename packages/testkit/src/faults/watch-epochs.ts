import type { Store } from '@errand/core';

/** Complains about every write that was accepted with an epoch other than the row's: an old holder must be refused. */
export function watchEpochs(store: Store, complain: (line: string) => void): Store {
  function same<T extends { readonly id: string; readonly epoch: number }>(row: T, epoch: number, write: string): T {
    if (row.epoch !== epoch) complain(`${write} of ${row.id} was accepted with epoch ${epoch}, it has ${row.epoch}`);
    return row;
  }
  return {
    ...store,
    beatRun: async (id, epoch, until) => same(await store.beatRun(id, epoch, until), epoch, 'beat'),
    advanceRun: async (id, epoch, event, patch, now) => same(await store.advanceRun(id, epoch, event, patch, now), epoch, event),
    noteRun: async (id, epoch, patch, now) => same(await store.noteRun(id, epoch, patch, now), epoch, 'note'),
    advanceLease: async (id, epoch, event, patch, now) =>
      same(await store.advanceLease(id, epoch, event, patch, now), epoch, event),
  };
}
