// A small generator with a seed: the same seed gives the same story on every machine.
import type { Random } from '@errand/core';

export interface Chance {
  /** In [0, 1). */
  fraction(): number;
  /** From `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True so often. */
  happens(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** An independent stream, so that one part drawing more does not change what another part gets. */
  fork(): Chance;
}

/** Mulberry32: 32 bits of state are plenty to tell stories apart, and it is a few operations. */
export function createChance(seed: number): Chance {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1));
  return {
    fraction,
    between,
    happens: (probability) => fraction() < probability,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('cannot pick from nothing');
      return item;
    },
    fork: () => createChance(Math.floor(fraction() * 2 ** 32)),
  };
}

/** Ids in the order of their making, so that a trace reads well. */
export function seededIds(chance: Chance, next: () => number): Random {
  return { id: () => String(next()).padStart(26, '0'), fraction: () => chance.fraction() };
}
