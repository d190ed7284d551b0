import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { at, view } from './subject.ts';
import type { LogsScenario } from './subject.ts';

export const inOrder: LogsScenario = {
  name: 'gives every byte once, in order, streams told apart',
  run: async ({ logs }) => {
    const expected = { stdout: createHash('sha256'), stderr: createHash('sha256') };
    const order: string[] = [];
    {
      await using writer = await logs.writer('r', 1);
      for (let i = 0; i < 400; i++) {
        const stream = i % 5 === 0 ? 'stderr' : 'stdout';
        const bytes = randomBytes((i * i * 7919) % 40_000);
        expected[stream].update(bytes);
        if (bytes.length > 0) order.push(`${stream} ${bytes.length}`);
        await writer.append(stream, bytes, at(String(i)));
      }
    }
    const found = { stdout: createHash('sha256'), stderr: createHash('sha256') };
    const seen: string[] = [];
    const cursors = new Set<string>();
    for await (const entry of logs.read('r', view(1, { complete: true }), undefined)) {
      found[entry.stream].update(entry.bytes);
      seen.push(`${entry.stream} ${entry.bytes.length}`);
      cursors.add(entry.cursor);
    }
    expect(seen).toEqual(order);
    expect(cursors.size).toBe(order.length);
    for (const stream of ['stdout', 'stderr'] as const) expect(found[stream].digest('hex')).toBe(expected[stream].digest('hex'));
  },
};
