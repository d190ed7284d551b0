import { expect } from 'vitest';
import { at, entriesOf, textsOf, view, write } from './subject.ts';
import type { LastingLogsSubject, LogsScenario } from './subject.ts';

export const tornEnd: LogsScenario<LastingLogsSubject> = {
  name: 'leaves out a torn end, and a new watcher goes on before it',
  run: async ({ logs, damage }) => {
    await write(logs, 'r', 1, ['a', 'b', 'torn']);
    await damage('r', 1, (bytes) => bytes.subarray(0, bytes.length - 1));
    expect(await textsOf(logs.read('r', view(1), undefined))).toEqual(['a', 'b']);
    const seal = await logs.tail('r', 1);
    expect(seal.position).toEqual(at('1/1'));
    await write(logs, 'r', 2, ['again']);
    expect(await textsOf(logs.read('r', view(2, { seals: [seal] }), undefined))).toEqual(['a', 'b', 'again']);
  },
};

export const damaged: LogsScenario<LastingLogsSubject> = {
  name: 'says that a log is damaged instead of leaving something out',
  run: async ({ logs, damage }) => {
    await write(logs, 'r', 1, ['a', 'b', 'c']);
    const seal = await logs.tail('r', 1);
    const [first] = await entriesOf(logs.read('r', view(1), undefined));
    const from = Number(first?.cursor.split('.')[1]);
    await damage('r', 1, (bytes) => Buffer.concat([bytes.subarray(0, from), Buffer.alloc(20), bytes.subarray(from + 20)]));
    for (const now of [view(1, { complete: true }), view(2, { seals: [seal] })]) {
      const texts: string[] = [];
      const reading = (async () => {
        for await (const entry of logs.read('r', now, undefined)) texts.push(Buffer.from(entry.bytes).toString());
      })();
      await expect(reading).rejects.toMatchObject({ code: 'log/corrupt' });
      expect(texts).toEqual(['a']);
    }
    await damage('r', 1, () => Buffer.alloc(0));
    await expect(textsOf(logs.read('r', view(2, { seals: [seal] }), undefined))).rejects.toMatchObject({ code: 'log/corrupt' });
  },
};
