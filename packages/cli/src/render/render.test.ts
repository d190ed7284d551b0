import { describe, expect, test } from 'vitest';
import { fakeLease, fakeRun } from '../../test/fakes.ts';
import { leaseTable } from './lease.ts';
import { runDetails, runTable } from './run.ts';
import { createStyle } from './style.ts';
import { table } from './table.ts';
import { commandText, visible } from './text.ts';
import { duration, relative } from './time.ts';

const plain = createStyle(false, {});

test('durations and relative times', () => {
  expect([0, 250, 3000, 65_000, 3_600_000, 3_900_000, 90_000_000].map(duration)).toEqual([
    '0ms',
    '250ms',
    '3s',
    '1m 5s',
    '1h',
    '1h 5m',
    '1d 1h',
  ]);
  expect([relative(0, 5000), relative(65_000, 5000), relative(5000, 5100)]).toEqual(['5s ago', 'in 1m', 'now']);
});

test('colour only on a terminal that wants it', () => {
  expect(createStyle(true, {}).red('x')).toBe('\u001B[31mx\u001B[39m');
  for (const style of [plain, createStyle(true, { NO_COLOR: '1' }), createStyle(true, { TERM: 'dumb' })])
    expect(style.red('x')).toBe('x');
  expect(createStyle(false, { FORCE_COLOR: '1' }).red('x')).toBe('\u001B[31mx\u001B[39m');
  expect(createStyle(false, { FORCE_COLOR: '1', NO_COLOR: '1' }).red('x')).toBe('x');
});

test('what others wrote cannot steer the terminal', () => {
  expect(visible('a\u001B[2Jb\r\n\u202E')).toBe(String.raw`a\u001b[2Jb\r\n\u202e`);
  expect(commandText({ argv: ['echo', 'a b', "it's", '', '\n'] })).toBe(String.raw`echo 'a b' 'it'\''s' '' '\n'`);
});

describe('tables', () => {
  test('are aligned, colours not counted, and the last column gives way', () => {
    const bold = createStyle(true, {}).bold;
    const lines = table([{ text: 'A', paint: bold }, { text: 'B' }], [[{ text: 'long' }, { text: 'x'.repeat(50) }]], 20);
    expect(lines).toEqual(['\u001B[1mA\u001B[22m     B', `long  ${'x'.repeat(13)}…`]);
  });

  test('of runs', () => {
    const runs = [
      fakeRun(),
      fakeRun({ id: '01OPEN', status: 'running', outcome: undefined, endedAt: undefined, closedAt: undefined }),
    ];
    expect(runTable(runs, plain, 10_000)).toEqual([
      'RUN     STATUS    ENVIRONMENT  CREATED  TOOK  COMMAND',
      '01RUN   exited 0  local        10s ago  2s    true',
      '01OPEN  running   local        10s ago  9s    true',
    ]);
  });

  test('of leases', () => {
    expect(leaseTable([fakeLease({ problem: 'no answer' })], plain, 0)).toEqual([
      'LEASE    STATUS  POLICY  ENVIRONMENT  EXPIRES  RUN  PROBLEM',
      '01LEASE  idle    fresh   local        in 1m    -    no answer',
    ]);
  });
});

test('what was synced back, in detail', () => {
  const conflicts = [
    { path: 'a\u001B[2J', why: 'changed-both', kept: 'a.errand-x' },
    { path: 'b', why: 'deleted-there' },
  ] as const;
  const lines = runDetails(
    { run: fakeRun({ sync: { written: 2, deleted: 0, ignored: 1, conflicts } }), lease: undefined, events: [] },
    plain,
    0,
  ).map((line) => line.trim());
  expect(lines).toContain('synced back  2 written, 2 in conflict, 1 ignored');
  expect(lines).toContain('conflict: b was changed here and deleted by the command; it stays');
  expect(lines.join('\n')).toContain("the command's version is in a.errand-x");
  expect(lines.join('\n')).not.toContain('\u001B');
});

test('a run in detail', () => {
  const run = fakeRun({
    outcome: { kind: 'errored', reason: 'image', code: 'provider/image', message: 'no such image', next: 'Push it.' },
  });
  const lines = runDetails(
    { run, lease: fakeLease(), events: [{ seq: 1, at: 0, subject: 'run', id: run.id, type: 'opened', data: null }] },
    plain,
    10_000,
  );
  expect(lines).toContain('outcome      errored (image)');
  expect(lines).toContain('because      no such image; next: Push it.');
  expect(lines).toContain('lease        01LEASE (idle)');
  expect(lines).toContain('output       errand logs 01RUN');
  expect(lines.at(-1)).toBe('1970-01-01T00:00:00.000Z run opened');
  expect(lines.join('\n')).not.toContain('undefined');
});
