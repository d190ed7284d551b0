import { expect } from 'vitest';
import { entriesOf, view, write } from './subject.ts';
import type { LogsScenario } from './subject.ts';

export const resume: LogsScenario = {
  name: 'goes on after any cursor, across epochs, for each stream',
  run: async ({ logs }) => {
    await write(logs, 'r', 1, ['a', '!b', 'c']);
    await write(logs, 'r', 3, ['!d', 'e']);
    const now = view(3, { seals: [await logs.tail('r', 1), await logs.tail('r', 2)] });
    const all = await entriesOf(logs.read('r', now, undefined));
    expect(all.map((entry) => entry.text)).toEqual(['a', '!b', 'c', '!d', 'e']);
    for (const [i, entry] of all.entries()) {
      const rest = all.slice(i + 1);
      expect(await entriesOf(logs.read('r', now, entry.cursor))).toEqual(rest);
      for (const stream of ['stdout', 'stderr'] as const) {
        const ofStream = rest.filter((each) => each.stream === stream);
        expect(await entriesOf(logs.read('r', now, entry.cursor, stream))).toEqual(ofStream);
      }
    }
    await write(logs, 'r', 3, ['f']);
    expect(await entriesOf(logs.read('r', now, all.at(-1)?.cursor))).toMatchObject([{ text: 'f' }]);
  },
};
