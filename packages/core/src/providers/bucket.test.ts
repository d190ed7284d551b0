import { expect, test } from 'vitest';
import type { Clock } from '../ports.ts';
import { createBucket } from './bucket.ts';

function steppedClock(): Clock & { slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

const signal = new AbortController().signal;

test('a burst goes through at once, what follows is spaced', async () => {
  const clock = steppedClock();
  const bucket = createBucket(clock, { perSecond: 10, burst: 3 });
  for (let i = 0; i < 5; i++) await bucket.take(signal);
  expect(clock.slept).toEqual([100, 100]);
});

test('after a pause nobody is let through before its end', async () => {
  const clock = steppedClock();
  const bucket = createBucket(clock, { perSecond: 10, burst: 3 });
  bucket.pause(700);
  await bucket.take(signal);
  expect(clock.now()).toBe(700);
});

test('a waiter leaves when its signal fires', async () => {
  const bucket = createBucket({ now: () => 0, sleep: async () => {} }, { perSecond: 1, burst: 1 });
  await bucket.take(signal);
  await expect(bucket.take(AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
});
