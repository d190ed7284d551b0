import { expect, test } from 'vitest';
import type { JobExit } from '@errand/contract';
import type { Run } from '../model/run.ts';
import { outcomeOf } from './conclude.ts';

const run = (cause?: Run['cause']) => ({ cause }) as Run;

test.each<[JobExit, object]>([
  [
    { kind: 'exited', code: 3 },
    { kind: 'exited', code: 3 },
  ],
  [
    { kind: 'signalled', signal: 'SIGSEGV' },
    { kind: 'signalled', signal: 'SIGSEGV' },
  ],
  [{ kind: 'timed-out' }, { kind: 'timed-out', after: 'running' }],
  [
    { kind: 'lost', evidence: 'e' },
    { kind: 'lost', evidence: 'e' },
  ],
  [
    { kind: 'errored', reason: 'oom', message: 'm' },
    { kind: 'errored', reason: 'oom', code: 'job/oom', message: 'm' },
  ],
])('%o without a cause is the outcome', (exit, outcome) => {
  expect(outcomeOf(run(), exit, false)).toEqual(outcome);
});

test('the cause wins over the exit that it provoked', () => {
  expect(outcomeOf(run({ kind: 'cancelled' }), { kind: 'signalled', signal: 'SIGTERM' }, true)).toEqual({ kind: 'cancelled' });
});

test('a job that ended by itself before a stop was sent keeps its own end', () => {
  expect(outcomeOf(run({ kind: 'cancelled' }), { kind: 'exited', code: 0 }, false)).toEqual({ kind: 'exited', code: 0 });
});

test('what a later watcher finds ended before it began, and nobody wanted ended, was never started', () => {
  const ended: JobExit = { kind: 'signalled', signal: 'SIGTERM' };
  expect(outcomeOf(run(), ended, false, true)).toMatchObject({ code: 'run/not-started' });
  expect(outcomeOf(run(), { ...ended, startedAt: 1 }, false, true)).toEqual(ended);
  expect(outcomeOf(run({ kind: 'cancelled' }), ended, true, true)).toEqual({ kind: 'cancelled' });
});
