import { expect, test } from 'vitest';
import { createRandom, systemRandom } from './random.ts';

test('ids have 26 characters that are never misread', () => {
  expect(systemRandom.id()).toMatch(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/);
});

test('ids go up, within a millisecond and when the clock goes back', () => {
  const times = [1000, 1000, 1000, 999, 1, 1001];
  const random = createRandom({ now: () => times.shift() ?? 2000 });
  const ids = Array.from({ length: 2000 }, () => random.id());
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids of two processes in the same millisecond differ', () => {
  const clock = { now: () => 1_750_000_000_000 };
  expect(createRandom(clock).id()).not.toBe(createRandom(clock).id());
  expect(createRandom(clock).id().slice(0, 10)).toBe(createRandom(clock).id().slice(0, 10));
});

test('fractions lie in [0, 1)', () => {
  for (let i = 0; i < 1000; i++) {
    const fraction = systemRandom.fraction();
    expect(fraction >= 0 && fraction < 1).toBe(true);
  }
});
