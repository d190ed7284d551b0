import { expect, test } from 'vitest';
import { didYouMean, distance, nearest } from './distance.ts';

test('counts letters added, dropped, changed and swapped', () => {
  expect([distance('abc', 'abc'), distance('', 'abc'), distance('abc', 'acb'), distance('kitten', 'sitting')]).toEqual([
    0, 3, 1, 3,
  ]);
});

test('names what is close, and nothing that is not', () => {
  expect(didYouMean('ci-bg', ['ci', 'ci-big', 'local'])).toBe("did you mean 'ci-big'?");
  expect(nearest('Timeout', ['timeout'])).toBe('timeout');
  expect(nearest('pend', ['pending_timeout', 'grace'])).toBe('pending_timeout');
  expect(nearest('kubernetes', ['local', 'docker'])).toBeUndefined();
  expect(nearest('x', ['y'])).toBeUndefined();
});
