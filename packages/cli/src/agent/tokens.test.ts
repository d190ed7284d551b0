import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchTokens } from './tokens.ts';

let directory: string;
let file: string;
const warnings: string[] = [];
const warn = (line: string) => void warnings.push(line);
const [first, second] = ['first-token-0123456789', 'second-token-0123456789'];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'errand-tokens-'));
  file = join(directory, 'tokens');
  warnings.length = 0;
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });
const digest = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;

test('tokens are taken as text or as their hash, several at once', () => {
  write(`# clients\n${first}\n\n  ${digest(second)}  \n`);
  const tokens = watchTokens(file, warn);
  expect([first, second, '', first.slice(1), `${first} `, digest(second)].map((one) => tokens.accepts(one))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('a changed file counts from the next call on', () => {
  write(first);
  const tokens = watchTokens(file, warn);
  write(`${first}\n${second}\n`);
  expect([first, second].map((one) => tokens.accepts(one))).toEqual([true, true]);
  write(`${second}\n`);
  expect([first, second].map((one) => tokens.accepts(one))).toEqual([false, true]);
});

test('a file that cannot be used any more lets nobody in, says so once, and recovers', () => {
  write(first);
  const tokens = watchTokens(file, warn);
  rmSync(file);
  expect([tokens.accepts(first), tokens.accepts(first)]).toEqual([false, false]);
  expect(warnings).toHaveLength(1);
  write(first);
  expect(tokens.accepts(first)).toBe(true);
});

test.each([
  ['', /holds no token/],
  ['short\n', /line 1 is not a token/],
  ['two words in one line\n', /line 1 is not a token/],
])('%j is refused without showing it', (text, message) => {
  write(text);
  expect(() => watchTokens(file, warn)).toThrow(message);
  expect(() => watchTokens(file, warn)).not.toThrow(/short|two words/);
});

test('a file that others can read is refused', () => {
  write(first);
  chmodSync(file, 0o640);
  expect(() => watchTokens(file, warn)).toThrow(/other users can read it/);
  expect(() => watchTokens(join(directory, 'none'), warn)).toThrow(/not there/);
  expect(() => watchTokens(directory, warn)).toThrow(/not a regular file/);
});
