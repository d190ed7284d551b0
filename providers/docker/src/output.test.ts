// Frames and cursors together: however the engine's stream is cut and resumed, every message comes once.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { advance, createFilter, parseCursor, sinceText, writeCursor } from './cursor.ts';
import type { Positions } from './cursor.ts';
import { nanoseconds, readFrames } from './frames.ts';
import type { Frame } from './frames.ts';
import { merge } from './merge.ts';

function encode(stream: 1 | 2, time: string, text: string): Buffer {
  const payload = Buffer.from(`${time} ${text}`);
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function frames(bytes: Uint8Array, size: number): Promise<Frame[]> {
  const all = [];
  for await (const some of readFrames(pieces(bytes, size))) all.push(...some);
  return all;
}

test('frames come out whole, whatever pieces they come in', async () => {
  const message = fc.record({ stream: fc.constantFrom(1 as const, 2 as const), text: fc.string({ maxLength: 300 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(message), fc.integer({ min: 1, max: 400 }), async (messages, size) => {
      const bytes = Buffer.concat(messages.map(({ stream, text }) => encode(stream, '2026-01-02T03:04:05.000000006Z', text)));
      const found = await frames(bytes, size);
      expect(found.map((one) => [one.stream === 'stderr' ? 2 : 1, Buffer.from(one.bytes).toString()])).toEqual(
        messages.map(({ stream, text }) => [stream, text]),
      );
    }),
  );
});

test('a stream that ends inside a frame, or is none, is an error', async () => {
  const whole = encode(1, '2026-01-02T03:04:05Z', 'text');
  await expect(frames(whole.subarray(0, 20), 5)).rejects.toMatchObject({ code: 'provider/unreachable' });
  await expect(frames(Buffer.from('plain text of a terminal'), 50)).rejects.toMatchObject({ code: 'provider/failed' });
  await expect(frames(encode(1, 'yesterday', 'x'), 50)).rejects.toMatchObject({ code: 'provider/failed' });
});

test('times of both engines are read to the nanosecond', () => {
  expect(nanoseconds('2026-01-02T03:04:05.123456789Z')).toBe(1_767_323_045_123_456_789n);
  expect(nanoseconds('2026-01-02T05:04:05.1+02:00')).toBe(1_767_323_045_100_000_000n);
  expect(nanoseconds('2026-01-02T03:04:05Z')).toBe(1_767_323_045_000_000_000n);
  expect(nanoseconds('0')).toBeUndefined();
});

interface Message extends Pick<Frame, 'stream' | 'time'> {
  readonly id: number;
}

/** What the engine would send to one who resumes: per stream, from a time on. */
function resume(all: readonly Message[], from: Positions): number[] {
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const isNew = createFilter(from[stream]);
    return all
      .filter((one) => one.stream === stream && one.time >= from[stream].since)
      .filter(isNew)
      .map((one) => one.id);
  });
}

test('resuming after any message gives exactly the later ones, also where many share a time', () => {
  const step = fc.record({ stream: fc.constantFrom('stdout' as const, 'stderr' as const), wait: fc.constantFrom(0, 0, 0, 1, 5) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), (steps, at) => {
      // Each stream's own times never fall; between the streams they are in any order.
      const clock = { stdout: 1_000n, stderr: 3n };
      const all = steps.map(({ stream, wait }, id): Message => {
        clock[stream] += BigInt(wait);
        return { stream, time: clock[stream], id };
      });
      const seen = all.slice(0, all.length === 0 ? 0 : at % all.length);
      let positions = parseCursor(undefined);
      for (const one of seen) positions = { ...positions, [one.stream]: advance(positions[one.stream], one) };
      const rest = resume(all, parseCursor(writeCursor(positions)));
      expect(rest.toSorted((a, b) => a - b)).toEqual(all.slice(seen.length).map((one) => one.id));
    }),
  );
});

test('an engine whose clock was set back while it was followed is resumed by count', () => {
  const all = [10n, 11n, 4n, 5n, 5n, 12n].map((time, id): Message => ({ stream: 'stdout', time, id }));
  for (let given = 3; given <= all.length; given++) {
    let positions = parseCursor(undefined);
    for (const one of all.slice(0, given)) positions = { ...positions, stdout: advance(positions.stdout, one) };
    expect(resume(all, positions)).toEqual(all.slice(given).map((one) => one.id));
  }
});

test('cursors: the engine’s form of the time, and no foreign ones', () => {
  const cursor = 'o1767323045000000006.2.9e0.0.0';
  expect(writeCursor(parseCursor(cursor))).toBe(cursor);
  expect(sinceText(parseCursor(cursor).stdout)).toBe('1767323045.000000006');
  expect(sinceText(parseCursor(cursor).stderr)).toBeUndefined();
  for (const foreign of ['', 'o1.e2', 'x', `${cursor}0x`, 'o-1.0.0e0.0.0']) {
    expect(() => parseCursor(foreign)).toThrow(expect.objectContaining({ code: 'usage/invalid' }));
  }
});

test('merged sources end with the last, and fail with the first that fails', async () => {
  async function* counting(from: number, to: number) {
    for (let at = from; at < to; at++) yield at;
  }
  async function* failing(): AsyncGenerator<number> {
    yield 100;
    throw new Error('cut');
  }
  const all = [];
  for await (const one of merge([counting(0, 3), counting(10, 15)])) all.push(one);
  expect(all.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 10, 11, 12, 13, 14]);
  await expect(async () => {
    for await (const one of merge([counting(0, 1_000_000), failing()])) void one;
  }).rejects.toThrow('cut');
});
