import { expect, test } from 'vitest';
import { encodeHead } from './frames.ts';
import type { LogView } from './port.ts';
import { readSegments } from './read.ts';
import type { Segments } from './read.ts';

const frame = (text: string) =>
  Buffer.concat([encodeHead('stdout', text.length, { cursor: text, skip: { stdout: 0, stderr: 0 } }), Buffer.from(text)]);

/** Segments in memory; `opened` is called right after one was looked at, which is when others go on. */
function createSegments(opened: (epoch: number, files: Map<number, Buffer>) => void): Segments {
  const files = new Map<number, Buffer>();
  return {
    epochs: async () => [...files.keys()],
    open: async (_run, epoch) => {
      const bytes = files.get(epoch);
      opened(epoch, files);
      if (!bytes) return undefined;
      return {
        size: bytes.length,
        read: async (offset, length) => bytes.subarray(offset, offset + length),
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}

async function texts(segments: Segments, view: LogView): Promise<string[]> {
  const all: string[] = [];
  for await (const entry of readSegments(segments, 'r', view, undefined)) all.push(Buffer.from(entry.bytes).toString());
  return all;
}

test('nothing is shown before what an earlier watcher wrote while it was being sealed', async () => {
  const segments = createSegments((epoch, files) => {
    if (epoch !== 1) return;
    files.set(1, frame('a'));
    files.set(2, frame('b'));
  });
  // Taken over, not yet sealed, and nothing there: the first look comes just before all of it happens.
  expect(await texts(segments, { seals: [], epoch: 2, complete: false })).toEqual([]);
  const seals = [{ epoch: 1, bytes: frame('a').length }];
  expect(await texts(segments, { seals, epoch: 2, complete: false })).toEqual(['a', 'b']);
});
