import { expect, test } from 'vitest';
import type { Container } from './client.ts';
import { couldNotRun, exitOf, isEnded, isUnstarted } from './job.ts';
import { label } from './layout.ts';

const none = new Set<string>();
const ended: Container = {
  id: 'i',
  labels: {},
  status: 'exited',
  startedAt: 1_000,
  finishedAt: 9_000,
  exitCode: 0,
  oomKilled: false,
  error: '',
};

test('an exit is told as it is, with its times', () => {
  expect(exitOf({ ...ended, exitCode: 3 }, none)).toEqual({ kind: 'exited', code: 3, startedAt: 1_000, endedAt: 9_000 });
  expect(exitOf({ ...ended, exitCode: 137 }, none)).toMatchObject({ kind: 'exited', code: 137 });
});

test('only what we sent is told as a signal', () => {
  expect(exitOf({ ...ended, exitCode: 137 }, new Set(['force']))).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
  expect(exitOf({ ...ended, exitCode: 137 }, new Set(['ask']))).toMatchObject({ kind: 'exited', code: 137 });
  expect(exitOf({ ...ended, exitCode: 143 }, new Set(['ask']))).toMatchObject({ kind: 'signalled', signal: 'SIGTERM' });
  expect(exitOf({ ...ended, exitCode: 5 }, new Set(['ask', 'force']))).toMatchObject({ kind: 'exited', code: 5 });
});

test('out of memory is an error, unless the command coped with it', () => {
  expect(exitOf({ ...ended, exitCode: 137, oomKilled: true }, none)).toMatchObject({ kind: 'errored', reason: 'oom' });
  expect(exitOf({ ...ended, exitCode: 0, oomKilled: true }, none)).toMatchObject({ kind: 'exited', code: 0 });
});

test('who outlived the profile’s time limit was timed out, whoever ended it', () => {
  const labels = { [label.timeout]: '5000' };
  expect(exitOf({ ...ended, labels, exitCode: 143 }, none)).toMatchObject({ kind: 'timed-out' });
  expect(exitOf({ ...ended, labels, finishedAt: 5_000, exitCode: 2 }, none)).toMatchObject({ kind: 'exited', code: 2 });
});

test('a program that the engine could not run is an end; one that was never asked to run is not', () => {
  const { startedAt: _, ...rest } = ended;
  const created = { ...rest, status: 'created' };
  expect([isUnstarted(created), isEnded(created)]).toEqual([true, false]);
  const missing = { ...created, exitCode: 127, error: 'no such file' };
  expect([isUnstarted(missing), isEnded(missing), couldNotRun(missing)]).toEqual([false, true, true]);
  expect(exitOf(missing, none)).toMatchObject({ kind: 'exited', code: 127 });
  // Broken otherwise, such as a bad mount: it may be tried again.
  expect(isUnstarted({ ...created, exitCode: 128, error: 'mount failed' })).toBe(true);
});
