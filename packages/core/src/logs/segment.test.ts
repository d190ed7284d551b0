import * as fc from 'fast-check';
import type { Stream } from '@errand/contract';
import { describe, expect, test } from 'vitest';
import { decodePosition, encodeHead } from './frames.ts';
import type { SourcePosition } from './port.ts';
import { scan, wholeEnd } from './segment.ts';
import type { Segment } from './segment.ts';

interface Chunk {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
  readonly position: SourcePosition;
  /** Of a reference; its bytes, which lie elsewhere, are zeros here. */
  readonly raw?: number;
}

const anyStream = fc.constantFrom<Stream[]>('stdout', 'stderr');
const anyPosition = fc.record({
  cursor: fc.option(fc.string({ unit: 'grapheme', maxLength: 12 }), { nil: undefined }),
  skip: fc.record({ stdout: fc.nat(), stderr: fc.nat() }),
});
const chunk: fc.Arbitrary<Chunk> = fc.oneof({ weight: 3, arbitrary: inline() }, { weight: 1, arbitrary: reference() });

function inline(): fc.Arbitrary<Chunk> {
  return fc.record({ stream: anyStream, bytes: fc.uint8Array({ maxLength: 40 }), position: anyPosition });
}

function reference(): fc.Arbitrary<Chunk> {
  const bytes = fc.nat({ max: 40 }).map((size) => new Uint8Array(size));
  return fc.record({ stream: anyStream, bytes, position: anyPosition, raw: fc.maxSafeNat() });
}

const encode = ({ stream, bytes, position, raw }: Chunk) => {
  const head = encodeHead(stream, bytes.length, position, raw);
  return raw === undefined ? Buffer.concat([head, bytes]) : head;
};

function segmentOf(bytes: Buffer): Segment {
  return {
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + Math.max(0, length)),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Every whole frame, through as many scans as it takes. */
async function walk(bytes: Buffer) {
  const segment = segmentOf(bytes);
  const chunks: Chunk[] = [];
  let at = 0;
  for (;;) {
    const { block, heads } = await scan(segment, at, segment.size);
    for (const head of heads) {
      const { stream, size, raw } = head;
      const elsewhere = raw === undefined ? undefined : { raw };
      const payload = elsewhere ? new Uint8Array(size) : new Uint8Array(block.subarray(head.payload, head.end));
      chunks.push({ stream, bytes: payload, position: decodePosition(block, head), ...elsewhere });
    }
    const last = heads.at(-1);
    if (!last) return { chunks, end: at };
    at += last.end;
  }
}

/** What must be found when the first `size` bytes of the frames are there. */
function wholeWithin(chunks: readonly Chunk[], size: number) {
  let end = 0;
  let count = 0;
  for (const each of chunks) {
    const next = end + encode(each).length;
    if (next > size) break;
    end = next;
    count++;
  }
  return { chunks: chunks.slice(0, count), end };
}

async function expectWhole(bytes: Buffer, expected: ReturnType<typeof wholeWithin>) {
  expect(await walk(bytes)).toEqual(expected);
  const { bytes: end, position } = await wholeEnd(segmentOf(bytes));
  expect({ end, position }).toEqual({ end: expected.end, position: expected.chunks.at(-1)?.position });
}

describe('frames', () => {
  test('come back as they were, and a cut at any byte leaves exactly the whole ones', async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), async (chunks) => {
        const all = Buffer.concat(chunks.map(encode));
        for (let size = 0; size <= all.length; size++) await expectWhole(all.subarray(0, size), wholeWithin(chunks, size));
      }),
      { numRuns: 40 },
    );
  });

  test('end where garbage begins', async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { maxLength: 6 }),
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        async (chunks, garbage) => {
          const all = Buffer.concat(chunks.map(encode));
          await expectWhole(Buffer.concat([all, garbage]), wholeWithin(chunks, all.length));
        },
      ),
    );
  });

  test('end before a head with any one bit turned', async () => {
    const position = { cursor: 'one', skip: { stdout: 1, stderr: 2 } };
    const first = encode({ stream: 'stdout', bytes: Buffer.from('payload'), position });
    for (const [second, bits] of [
      [first, (first.length - 'payload'.length) * 8],
      ...['stdout', 'stderr'].map((stream) => {
        const other = encodeHead(stream as Stream, 70_000, position, 4096);
        return [other, other.length * 8] as const;
      }),
    ] as const) {
      for (let bit = 0; bit < bits; bit++) {
        const turned = Buffer.from(second);
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect((await wholeEnd(segmentOf(Buffer.concat([first, turned])))).bytes).toBe(first.length);
      }
    }
  });

  test('may be larger than a block, and stand on its edges', async () => {
    const position = { cursor: 'x'.repeat(60_000), skip: { stdout: 0, stderr: 0 } };
    const sizes = [5, 4 * 1024 * 1024 - 70_000, 9_000_000, 0, 4 * 1024 * 1024, 300_000, 1];
    const chunks: Chunk[] = sizes.map((size, i) => ({ stream: 'stderr', bytes: new Uint8Array(size).fill(i), position }));
    const all = Buffer.concat(chunks.map(encode));
    const found = await walk(all);
    expect(found.end).toBe(all.length);
    expect(found.chunks.map((each) => [each.bytes.length, each.bytes[0]])).toEqual(
      sizes.map((size, i) => [size, size ? i : undefined]),
    );
    expect((await wholeEnd(segmentOf(all.subarray(0, all.length - 1)))).bytes).toBe(all.length - encode(chunks[6]!).length);
  });

  test('refuse a cursor that does not fit', () => {
    const position = { cursor: 'x'.repeat(70_000), skip: { stdout: 0, stderr: 0 } };
    expect(() => encodeHead('stdout', 1, position)).toThrow(/cursor of 7\d+ bytes/);
  });
});
