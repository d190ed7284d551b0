import { expect, test } from 'vitest';
import { createVirtualClock } from './clock.ts';
import { createChance } from './random.ts';

test('sleepers wake in the order of their times, and an hour costs nothing', async () => {
  const clock = createVirtualClock(0);
  const seen: string[] = [];
  const nap = async (ms: number) => {
    await clock.sleep(ms);
    seen.push(`${ms} at ${clock.now()}`);
  };
  const start = performance.now();
  await clock.drive(Promise.all([nap(3_600_000), nap(10), nap(2000), nap(10)]), 1e9);
  expect(seen).toEqual(['10 at 10', '10 at 10', '2000 at 2000', '3600000 at 3600000']);
  expect(performance.now() - start).toBeLessThan(5000);
});

test('many sleepers keep the order', async () => {
  const clock = createVirtualClock(0);
  const chance = createChance(7);
  const seen: number[] = [];
  const nap = async (ms: number) => {
    await clock.sleep(ms);
    seen.push(ms);
  };
  await clock.drive(Promise.all(Array.from({ length: 300 }, () => nap(chance.between(0, 1000)))), 1e9);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});

test('a signal wakes at once, without an error', async () => {
  const clock = createVirtualClock(0);
  const early = new AbortController();
  const wake = clock.sleep(10).then(() => early.abort());
  await clock.drive(Promise.all([clock.sleep(Infinity, early.signal), wake]), 1000);
  await clock.drive(clock.sleep(1000, early.signal), 1000);
  expect(clock.now()).toBe(10);
});

test('what takes longer than the limit, or can never end, is an error', async () => {
  const clock = createVirtualClock(0);
  await expect(clock.drive(clock.sleep(5000), 1000)).rejects.toThrow('not done by 1000');
  await expect(clock.drive(new Promise(() => {}), 1000)).rejects.toThrow('nothing is left');
});

test('a seed gives the same numbers every time, and forks do not disturb one another', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, () => createChance(seed).fork().fraction());
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const chance = createChance(3);
  const values = Array.from({ length: 2000 }, () => chance.between(1, 4));
  for (const value of [1, 2, 3, 4]) expect(values.filter((one) => one === value).length).toBeGreaterThan(350);
});
