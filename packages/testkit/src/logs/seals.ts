import { expect } from 'vitest';
import { textsOf, view, write } from './subject.ts';
import type { LogsScenario } from './subject.ts';

export const sealsHideStale: LogsScenario = {
  name: 'hides what a fenced writer adds behind its seal',
  run: async ({ logs }) => {
    await write(logs, 'r', 1, ['a', 'b']);
    const seal = await logs.tail('r', 1);
    expect(seal.position?.cursor).toBe('1/1');
    await write(logs, 'r', 1, ['stale', '!stale']);
    await write(logs, 'r', 2, ['c', 'd']);
    expect(await textsOf(logs.read('r', view(2, { seals: [seal] }), undefined))).toEqual(['a', 'b', 'c', 'd']);
    expect((await logs.tail('r', 1)).bytes).toBeGreaterThan(seal.bytes);
  },
};

export const unsealed: LogsScenario = {
  name: 'shows an epoch that was taken over and not yet sealed, and nothing behind it',
  run: async ({ logs }) => {
    await write(logs, 'r', 1, ['a', 'b']);
    expect(await textsOf(logs.read('r', view(2), undefined))).toEqual(['a', 'b']);
    await write(logs, 'r', 2, ['c']);
    expect(await textsOf(logs.read('r', view(2), undefined))).toEqual(['a', 'b']);
    const seals = [await logs.tail('r', 1)];
    expect(await textsOf(logs.read('r', view(2, { seals }), undefined))).toEqual(['a', 'b', 'c']);
    expect(await textsOf(logs.read('r', view(3, { seals }), undefined))).toEqual(['a', 'b', 'c']);
  },
};
