import type { Store } from '@errand/core';
import type { StoreBed } from './scenario.ts';

/** A bed from a way to open one more handle; `remove` takes the database away when all are closed. */
export function storeBed(open: () => Promise<Store>, remove: () => Promise<void>): StoreBed {
  const stores: Store[] = [];
  return {
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
