import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test.each([
  ['90s', 90_000],
  ['20m', 1_200_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['2d', 172_800_000],
  [' 0s ', 0],
  [1500, 1500],
])('%j is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['', 'empty'],
  ['20', 'no unit'],
  ['20 m', 'no unit'],
  ['-5m', 'negative'],
  ['5x', 'unknown'],
  ['5M', 'unknown'],
  ['5m1h', 'from large to small'],
  ['5m5m', 'from large to small'],
  ['m', 'numbers and units'],
  ['1e9s', 'unknown'],
  ['99999999d', 'longer'],
  [-1, 'negative'],
  [Number.NaN, 'finite'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseDuration(text, '--timeout')).toThrow(expect.objectContaining({ code: 'usage/invalid' }) as Error);
  expect(() => parseDuration(text, '--timeout')).toThrow(why);
  expect(() => parseDuration(text, '--timeout')).toThrow('--timeout');
});

test('what is formatted reads back the same', () => {
  expect([0, 250, 90_000, 5_400_000].map(formatDuration)).toEqual(['0s', '250ms', '1m30s', '1h30m']);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 36_500 * 86_400_000 }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});
