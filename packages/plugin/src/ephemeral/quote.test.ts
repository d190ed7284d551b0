import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgv } from './quote.ts';

const printArgs = String.raw`for a do printf '%s\000' "$a"; done`;

function throughShell(args: readonly string[]): string[] {
  const line = quoteArgv(['sh', '-c', printArgs, 'sh', ...args]);
  return execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('a shell reads what was written', () => {
  const odd = [
    '',
    ' ',
    `it's`,
    '"',
    '$HOME',
    '`id`',
    '\\',
    'a\nb',
    '*',
    '~',
    'x=1',
    '-n',
    '#',
    '&&',
    ';',
    'ü ✓',
    '!!',
    '{}',
    '$(id)',
  ];
  expect(throughShell(odd)).toEqual(odd);
});

test('any text without NUL comes through', () => {
  const words = fc.array(
    fc.string({ unit: 'binary-ascii' }).map((text) => text.replaceAll('\0', '')),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(words, (args) => {
      expect(throughShell(args)).toEqual(args);
    }),
    { numRuns: 60 },
  );
});

test('a program whose name is a word of the shell is a program', () => {
  expect(quoteArgv(['if', 'if'])).toBe("'if' if");
  expect(quoteArgv(['a=b', 'c'])).toBe("'a=b' c");
  expect(quoteArgv(['/bin/echo', 'plain', 'two words'])).toBe("/bin/echo plain 'two words'");
});
