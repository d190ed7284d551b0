import { expect } from 'vitest';
import { textsOf, view } from './subject.ts';
import type { LogsScenario } from './subject.ts';

export const empty: LogsScenario = {
  name: 'has nothing to say of a run that wrote nothing',
  run: async ({ logs, follow, clock }) => {
    expect(await logs.tail('r', 1)).toEqual({ epoch: 1, bytes: 0 });
    const writer = await logs.writer('r', 1);
    await writer[Symbol.asyncDispose]();
    expect(await logs.tail('r', 1)).toEqual({ epoch: 1, bytes: 0 });
    const seals = [
      { epoch: 1, bytes: 0 },
      { epoch: 2, bytes: 0 },
    ];
    for (const complete of [false, true])
      expect(await textsOf(logs.read('r', view(3, { seals, complete }), undefined))).toEqual([]);
    expect(await textsOf(logs.read('r', view(0), undefined))).toEqual([]);
    const ended = view(3, { complete: true });
    expect(await textsOf(follow({ logs, clock, view: () => Promise.resolve(ended) }, 'r'))).toEqual([]);
  },
};
