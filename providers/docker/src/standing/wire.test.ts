import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitFrom } from './exit.ts';
import { parseOffsets, writeOffsets } from './logs.ts';
import { readAbout, writeAbout } from './start.ts';
import { ask, createReplyReader, writeRequest } from './wire.ts';

/** As the shim sends one: the same head as a request's, with the sum over the head alone. */
function reply(id: number, payload: string): Buffer {
  const bytes = writeRequest({ type: 1, client: 7n, id, payload: Buffer.from(payload) });
  bytes.writeUInt32LE(0x31535245, 0);
  let sum = 0x811c9dc5;
  for (const byte of [...bytes.subarray(4, 8), ...bytes.subarray(12, 32)]) sum = Math.imul(sum ^ byte, 0x01000193);
  bytes.writeUInt32LE(sum >>> 0, 8);
  return bytes;
}

test('replies are read whole, however they are cut, and also when the beginning is missed', () => {
  const rubbish = fc.uint8Array({ maxLength: 80 });
  const words = fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(rubbish, words, fc.integer({ min: 1, max: 200 }), (before, texts, step) => {
      const all = Buffer.concat([before, ...texts.map((text, index) => reply(index, text))]);
      const read = createReplyReader();
      const got = [];
      for (let at = 0; at < all.length; at += step) got.push(...read(all.subarray(at, at + step)));
      expect(got.map((one) => [one.id, one.payload.toString()])).toEqual(texts.map((text, index) => [index, text]));
    }),
  );
});

test('a request carries a sum over all of it', () => {
  const one = writeRequest({ type: ask.stop, client: 1n, id: 2, payload: Buffer.from('x') });
  const other = writeRequest({ type: ask.stop, client: 1n, id: 2, payload: Buffer.from('y') });
  expect(one.readUInt32LE(8)).not.toBe(other.readUInt32LE(8));
});

test('ends are told as they were recorded', () => {
  const times = { startedAt: 10, endedAt: 20 };
  expect(exitFrom('3 0 10 20 0 0 0')).toEqual({ kind: 'exited', code: 3, ...times });
  expect(exitFrom('0 9 10 20 0 0 2')).toEqual({ kind: 'signalled', signal: 'SIGKILL', ...times });
  expect(exitFrom('0 9 10 20 0 0 1')).toEqual({ kind: 'exited', code: 137, ...times });
  expect(exitFrom('0 11 10 20 0 0 0')).toEqual({ kind: 'exited', code: 139, ...times });
  expect(exitFrom('143 0 10 20 0 0 1')).toEqual({ kind: 'exited', code: 143, ...times });
  expect(exitFrom('0 9 10 20 1 0 0')).toMatchObject({ kind: 'errored', reason: 'oom' });
  expect(exitFrom('0 0 10 20 1 0 0')).toMatchObject({ kind: 'exited', code: 0 });
  expect(exitFrom('0 0 10 20 0 1 0')).toMatchObject({ kind: 'timed-out' });
  for (const none of ['', 'lost', 'unknown', '1 2 3']) expect(exitFrom(none)).toBeUndefined();
});

test('cursors and notes survive their text', () => {
  expect(parseOffsets(writeOffsets({ stdout: 12, stderr: 3_000_000_000 }))).toEqual({ stdout: 12, stderr: 3_000_000_000 });
  for (const bad of ['', 'o1.2.3e4.5.6', 's-1.2', 's1']) expect(() => parseOffsets(bad)).toThrow('cursor');
  const about = { key: 'odd\nkey', owner: 'o', digest: 'd' };
  expect(readAbout(writeAbout(about))).toEqual(about);
  expect(readAbout('')).toBeUndefined();
});
