import { ErrandError } from '@errand/contract';
import { expect, test } from 'vitest';
import { errorDocument, errorText } from './errors.ts';

const error = new ErrandError('config/invalid', 'cannot use errand.yaml', {
  next: 'Correct it.',
  cause: new Error('inner'),
  diagnostics: [
    { severity: 'error', message: 'no such key', file: 'errand.yaml', line: 3, column: 5, hint: 'did you mean env?' },
  ],
});

test('an error says what happened, where, and what next; no stack', () => {
  expect(errorText(error, false)).toBe(
    'errand: cannot use errand.yaml\n  errand.yaml:3:5: error: no such key\n    hint: did you mean env?\n  next: Correct it.\n',
  );
});

test('a problem that is the error itself is said once', () => {
  const problem = { severity: 'error' as const, message: 'it needs an image', hint: 'Give one.' };
  const other = { severity: 'error' as const, message: 'it cannot limit cpu', hint: 'Remove it.' };
  const twice = new ErrandError('environment/unsupported', 'cannot run this: it needs an image', {
    next: 'Give one.',
    diagnostics: [problem, other],
  });
  expect(errorText(twice, false)).toBe(
    'errand: cannot run this: it needs an image\n  error: it cannot limit cpu\n    hint: Remove it.\n  next: Give one.\n',
  );
});

test('the stack and its causes are there for those who ask', () => {
  const text = errorText(error, true);
  expect(text).toMatch(/\n\s+at /);
  expect(text).toContain('caused by Error: inner');
});

test('anything else is called a defect', () => {
  expect(errorText(new TypeError('x is not a function'), false)).toMatch(
    /^errand: x is not a function\n {2}next: This is a defect/,
  );
  expect(errorDocument('odd')).toEqual({ error: { code: 'internal/bug', reason: 'internal', message: 'odd', diagnostics: [] } });
});

test('as data', () => {
  expect(errorDocument(error).error).toMatchObject({ code: 'config/invalid', reason: 'config', next: 'Correct it.' });
});
