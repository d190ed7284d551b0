import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteArgv } from './quote.ts';
import { readLine } from './served-command.ts';

test('one program takes the place of the shell', () => {
  expect(readLine('./serve --port 80')).toEqual({ script: 'exec ./serve --port 80' });
  const line = quoteArgv(['sh', '-c', `it's; "it" && $X\n`]);
  expect(readLine(line)).toEqual({ script: `exec ${line}` });
  expect(readLine("'if' x")).toEqual({ script: "exec 'if' x" });
});

test('what only a shell understands stays as it is', () => {
  for (const line of [
    'exit 3',
    'cd /x',
    'a && b',
    'A=b c',
    'echo $HOME',
    'a; b',
    'a | b',
    'a > b',
    '(a)',
    'a &',
    '{ a; }',
    'echo x',
  ])
    expect(readLine(line)).toEqual({ script: line });
});

test('a hostile line is looked at in no time', () => {
  const begun = performance.now();
  readLine(`${"a'b'".repeat(20_000)}$`);
  readLine(`${'a '.repeat(50_000)};`);
  expect(performance.now() - begun).toBeLessThan(500);
});

test('the process that is seen is the program', () => {
  const script = (readLine(quoteArgv(['sh', '-c', 'ps -o args= -p $$'])) as { script: string }).script;
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })).toBe('sh -c ps -o args= -p $$\n');
});
