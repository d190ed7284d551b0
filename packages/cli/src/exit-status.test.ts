import type { Outcome } from '@errand/core';
import { expect, test } from 'vitest';
import { exitStatus } from './exit-status.ts';

const table: [Outcome, string | undefined, number][] = [
  [{ kind: 'exited', code: 0 }, undefined, 0],
  [{ kind: 'exited', code: 3 }, undefined, 3],
  [{ kind: 'exited', code: 127 }, undefined, 127],
  [{ kind: 'exited', code: 0 }, 'could not collect', 125],
  [{ kind: 'exited', code: 3 }, 'could not collect', 3],
  [{ kind: 'signalled', signal: 'SIGTERM' }, undefined, 143],
  [{ kind: 'signalled', signal: 'SIGKILL' }, undefined, 137],
  [{ kind: 'signalled', signal: 'SIGSOMETHING' }, undefined, 128],
  [{ kind: 'signalled', signal: 'SIG35' }, undefined, 163],
  [{ kind: 'cancelled' }, undefined, 130],
  [{ kind: 'timed-out', after: 'running' }, undefined, 124],
  [{ kind: 'timed-out', after: 'pending' }, undefined, 124],
  [{ kind: 'lost', evidence: 'x' }, undefined, 125],
  [{ kind: 'errored', reason: 'image', code: 'provider/image', message: 'x' }, undefined, 125],
];

test.each(table)('%j with the problem %s is %i', (outcome, problem, status) => {
  expect(exitStatus(outcome, problem)).toBe(status);
});
