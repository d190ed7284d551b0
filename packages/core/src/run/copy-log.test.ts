import type { LocalBytes, LogChunk, Stream } from '@errand/contract';
import { expect, test } from 'vitest';
import type { SourcePosition } from '../model/run.ts';
import { copyLog } from './copy-log.ts';

interface Appended {
  readonly stream: Stream;
  readonly text: string;
  readonly position: SourcePosition;
  readonly source: LocalBytes | undefined;
}

async function copy(chunks: readonly LogChunk[], secrets: readonly string[], from?: SourcePosition): Promise<Appended[]> {
  const all: Appended[] = [];
  const writer = {
    append: async (stream: Stream, bytes: Uint8Array, position: SourcePosition, source?: LocalBytes) =>
      void all.push({ stream, text: Buffer.from(bytes).toString(), position, source }),
    [Symbol.asyncDispose]: async () => {},
  };
  async function* given() {
    yield* chunks;
  }
  const safe: SourcePosition[] = [];
  for await (const position of copyLog(given(), writer, secrets, from)) safe.push(position);
  expect(safe).toEqual(all.map(({ position }) => position));
  return all;
}

const chunk = (text: string, offset: number): LogChunk => ({
  stream: 'stdout',
  bytes: Buffer.from(text),
  cursor: `o${offset + text.length}`,
  local: { path: '/out', offset },
});
const skip = (stdout: number) => ({ stdout, stderr: 0 });

test('says where the bytes lie, behind what is known already', async () => {
  const all = await copy([chunk('abcd', 0), chunk('efgh', 4)], [], { cursor: undefined, skip: skip(3) });
  expect(all).toEqual([
    { stream: 'stdout', text: 'd', position: { cursor: 'o4', skip: skip(0) }, source: { path: '/out', offset: 3 } },
    { stream: 'stdout', text: 'efgh', position: { cursor: 'o8', skip: skip(0) }, source: { path: '/out', offset: 4 } },
  ]);
});

test('never points at a file that may hold a secret’s plaintext', async () => {
  const all = await copy([chunk('plain ', 0), chunk('hunt', 6), chunk('er22 rest', 10)], ['hunter22']);
  expect(all.map(({ text }) => text).join('')).toBe('plain [redacted] rest');
  expect(all.map(({ source }) => source)).toEqual(all.map(() => undefined));
});
