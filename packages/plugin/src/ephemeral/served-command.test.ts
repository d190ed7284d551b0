import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgv } from './quote.ts';
import { readLine } from './served-command.ts';

test('one program needs no shell', () => {
  expect(readLine('./serve --port 80')).toEqual({ argv: ['./serve', '--port', '80'] });
  expect(readLine("'if' x")).toEqual({ argv: ['if', 'x'] });
  expect(readLine(`echo'' a`)).toEqual({ argv: ['echo', 'a'] });
});

test('what was quoted comes back', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 6 }), (args) => {
      expect(readLine(quoteArgv(['./program', ...args]))).toEqual({ argv: ['./program', ...args] });
    }),
  );
});

test('what only a shell understands stays as it is', () => {
  const lines = [
    'exit 3',
    'cd /x',
    'a && b',
    'A=b c',
    'x $HOME',
    'a; b',
    'a | b',
    'a > b',
    '(a)',
    'a &',
    '{ a; }',
    'echo x',
    '',
    ' ',
  ];
  for (const line of lines) expect(readLine(line)).toEqual({ script: line });
});

test('a hostile line is looked at in no time', () => {
  const begun = performance.now();
  readLine(`${"a'b'".repeat(20_000)}$`);
  readLine(`${'a '.repeat(50_000)};`);
  expect(performance.now() - begun).toBeLessThan(500);
});
