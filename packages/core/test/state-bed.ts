import type { StateBed } from '@errand/testkit';
import type { StateStore } from '../src/store/infra/port.ts';

/** A bed from a way to open one more handle; `remove` takes the place away when all are closed. */
export function stateBed(open: () => Promise<StateStore>, remove: () => Promise<void>): StateBed {
  const stores: StateStore[] = [];
  return {
    keepsVersions: true,
    open: async () => {
      const store = await open();
      stores.push(store);
      return store;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
      await remove();
    },
  };
}
