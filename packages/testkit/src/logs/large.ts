import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { at, view } from './subject.ts';
import type { LogsScenario } from './subject.ts';

const chunk = 256 * 1024;

export const large: LogsScenario = {
  name: 'keeps memory flat while a large log is written and read',
  run: async ({ logs, large: { bytes: total, growth } }) => {
    const count = Math.ceil(total / chunk);
    const bytes = Buffer.alloc(chunk);
    const before = process.memoryUsage().rss;
    let peak = before;
    const look = (i: number) => {
      if (i % 50 === 0) peak = Math.max(peak, process.memoryUsage().rss);
    };

    const started = performance.now();
    {
      await using writer = await logs.writer('r', 1);
      for (let i = 0; i < count; i++) {
        bytes.writeUInt32LE(i, 0);
        await writer.append('stdout', bytes, at(String(i)));
        look(i);
      }
    }
    const written = performance.now();
    let next = 0;
    for await (const entry of logs.read('r', view(1, { complete: true }), undefined)) {
      expect(Buffer.from(entry.bytes.buffer, entry.bytes.byteOffset, 4).readUInt32LE()).toBe(next);
      expect(entry.bytes.length).toBe(chunk);
      look(next++);
    }
    const read = performance.now();
    expect(next).toBe(count);
    await logs.tail('r', 1);
    const walked = performance.now();

    const rate = (from: number, to: number) => `${Math.round((count * chunk) / 1e6 / ((to - from) / 1000))} MB/s`;
    const grown = Math.round((peak - before) / 1e6);
    console.info(
      `logs: ${Math.round(total / 1e6)} MB written at ${rate(started, written)}, read at ${rate(written, read)}, end found in ${Math.round(walked - read)} ms, memory +${grown} MB`,
    );
    expect(peak - before).toBeLessThan(growth);
  },
};

/** A run of many small appends: the cost of one frame, rather than that of its bytes. */
export const manySmall: LogsScenario = {
  name: 'keeps many small chunks in order',
  run: async ({ logs }) => {
    const expected = createHash('sha256');
    {
      await using writer = await logs.writer('r', 1);
      for (let from = 0; from < 20_000; from += 500) {
        const lines = Array.from({ length: 500 }, (_, i) => `${from + i}\n`);
        await Promise.all(lines.map((line) => writer.append('stdout', Buffer.from(line), at(line))));
        for (const line of lines) expected.update(line);
      }
    }
    const found = createHash('sha256');
    for await (const entry of logs.read('r', view(1), undefined)) found.update(entry.bytes);
    expect(found.digest('hex')).toBe(expected.digest('hex'));
  },
};
