import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createSink } from './sink.ts';

test('waits for room: a slow reader slows the writer down instead of filling the memory', async () => {
  const pipe = new PassThrough({ highWaterMark: 10 });
  const sink = createSink(pipe);
  expect(await sink.write('12345')).toBe(true);
  let room = false;
  const waiting = sink.write('678901234567890').then(() => (room = true));
  await new Promise((resolve) => setImmediate(resolve));
  // PassThrough hands on what its reading side has room for; the rest waits for the reader.
  expect(pipe.writableLength).toBeGreaterThan(0);
  expect(room).toBe(false);
  pipe.resume();
  await waiting;
});

test('a reader that went away is an answer, not an exception', async () => {
  const broken = new Writable({
    write(_chunk, _encoding, callback) {
      callback(Object.assign(new Error('broken'), { code: 'EPIPE' }));
    },
    highWaterMark: 1,
  });
  const sink = createSink(broken);
  expect(await sink.write('some text')).toBe(false);
  expect(sink.failure).toBe('EPIPE');
  expect(await sink.write('more')).toBe(false);
  await sink.flush();
});
