import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('sleeps for about as long as asked', async () => {
  const before = systemClock.now();
  await systemClock.sleep(30);
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(28);
});

test('wakes at once when the signal fires, before or during the sleep, and leaves no listener', async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  controller.abort();
  await sleeping;
  await systemClock.sleep(60_000, controller.signal);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

test('leaves no listener after a whole sleep', async () => {
  const { signal } = new AbortController();
  await systemClock.sleep(1, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('sleeps longer than a timer can count', async () => {
  const controller = new AbortController();
  let awake = false;
  const sleeping = systemClock.sleep(2 ** 40, controller.signal).then(() => (awake = true));
  await systemClock.sleep(20);
  expect(awake).toBe(false);
  controller.abort();
  await sleeping;
});
