import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSize, parseSize } from './size.ts';

test.each([
  ['4Gi', 4 * 1024 ** 3],
  ['512Mi', 512 * 1024 ** 2],
  ['1G', 1_000_000_000],
  ['1.5Ki', 1536],
  ['2GiB', 2 * 1024 ** 3],
  ['10 MB', 10_000_000],
  ['17', 17],
  [17, 17],
])('%j is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  ['', 'empty'],
  ['4gi', 'written Gi'],
  ['4m', 'written M'],
  ['4 apples', 'unknown'],
  ['Gi', 'begin with a number'],
  ['-1', 'negative'],
  ['99999999Ti', 'too large'],
  [1.5, 'whole number'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseSize(text)).toThrow(why);
});

test('what is formatted reads back the same', () => {
  expect([0, 17, 4 * 1024 ** 3].map(formatSize)).toEqual(['0', '17', '4Gi']);
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      expect(parseSize(formatSize(bytes))).toBe(bytes);
    }),
  );
});
