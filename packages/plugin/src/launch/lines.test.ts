import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLines, createTail } from './lines.ts';

function linesOf(chunks: readonly Buffer[], longest?: number): string[] {
  const seen: string[] = [];
  const lines = createLines((text) => seen.push(text), longest);
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return seen;
}

test('lines are the same however they are cut into chunks', () => {
  const text = fc.array(fc.stringMatching(/^[a-zä\r]{0,8}$/), { maxLength: 8 }).map((lines) => Buffer.from(lines.join('\n')));
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (bytes, cuts) => {
      const edges = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
      expect(linesOf(chunks)).toEqual(linesOf([bytes]));
    }),
  );
});

test('a line that never ends costs no more than its beginning', () => {
  const chunk = Buffer.alloc(1024 * 1024, 97);
  expect(linesOf([...Array.from({ length: 100 }, () => chunk), Buffer.from('\nb')], 10)).toEqual([`${'a'.repeat(10)}…`, 'b']);
});

test('the tail keeps the last lines', () => {
  const tail = createTail(2);
  for (const line of ['a', 'b', 'c']) tail.push(line);
  expect(tail.lines()).toEqual(['b', 'c']);
});
