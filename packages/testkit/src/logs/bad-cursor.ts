import { expect } from 'vitest';
import { entriesOf, view, write } from './subject.ts';
import type { LogsScenario } from './subject.ts';

export const badCursor: LogsScenario = {
  name: 'refuses a cursor that it never gave',
  run: async ({ logs }) => {
    await write(logs, 'r', 1, ['first', 'second']);
    await write(logs, 'r', 2, ['third']);
    const seal = await logs.tail('r', 1);
    const now = view(2, { seals: [seal] });
    const [first] = await entriesOf(logs.read('r', now, undefined));
    const [epoch, bytes] = (first?.cursor ?? '').split('.').map(Number) as [number, number];
    const malformed = ['', 'x', '1', '1.', '.5', '1.-5', '1.5.5', ' 1.5', '1.5x', '-1.5', '1e3.5', '99999999999999999999.1'];
    const inside = [`${epoch}.${bytes - 1}`, `${epoch}.${bytes + 1}`, `1.${seal.bytes - 1}`, '2.1'];
    const beyond = [`1.${seal.bytes + 1}`, '2.999999', '3.0', '4.77'];
    for (const since of [...malformed, ...inside, ...beyond]) {
      const problem: unknown = await entriesOf(logs.read('r', now, since)).catch((error: unknown) => error);
      const next = expect.stringContaining('1.4096') as string;
      expect({ since, problem }).toMatchObject({ since, problem: { code: 'usage/invalid', next } });
    }
  },
};
