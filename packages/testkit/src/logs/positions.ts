import { expect } from 'vitest';
import type { LogsScenario } from './subject.ts';

export const positions: LogsScenario = {
  name: 'keeps the position of the last append, whatever its text',
  run: async ({ logs }) => {
    await using writer = await logs.writer('r', 7);
    const cursors = [undefined, '', '12', 'ünï "quoted"\n\u0000', 'x'.repeat(5000)];
    for (const [i, cursor] of cursors.entries()) {
      const position = { cursor, skip: { stdout: i, stderr: 2 ** 40 + i } };
      await writer.append('stdout', Buffer.alloc(i * 3000), position);
      expect(await logs.tail('r', 7)).toMatchObject({ epoch: 7, position });
    }
  },
};
