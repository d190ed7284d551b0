import { expect, test } from 'vitest';
import type { Outcome } from '../model/run.ts';
import type { LeasePolicy } from '../model/setup.ts';
import { afterRun, mustLastUntil } from './policy.ts';

const setup = (policy: LeasePolicy) => ({ policy, provision: [], warm: 0, env: {}, secretEnv: {} });
const lease = (more: Partial<Parameters<typeof afterRun>[1]> = {}) =>
  ({ status: 'active', spec: {}, provisioning: undefined, ...more }) as const;
const ended = (policy: LeasePolicy, outcome: Outcome, startedAt: number | undefined = 1) => ({
  spec: { setup: setup(policy) },
  outcome,
  startedAt,
});

const outcomes: Readonly<Record<string, Outcome>> = {
  good: { kind: 'exited', code: 0 },
  bad: { kind: 'exited', code: 1 },
  signalled: { kind: 'signalled', signal: 'SIGSEGV' },
  cancelled: { kind: 'cancelled' },
  late: { kind: 'timed-out', after: 'running' },
  lost: { kind: 'lost', evidence: 'x' },
  errored: { kind: 'errored', reason: 'oom', code: 'job/oom', message: 'x' },
};

test.each<[LeasePolicy, string]>([
  ['fresh', ''],
  ['reuse', 'good bad signalled cancelled late'],
  ['keep-on-failure', 'bad signalled late errored'],
])('%s lets the place live on after: %s', (policy, kept) => {
  const parked = Object.entries(outcomes).filter(([, outcome]) => afterRun(ended(policy, outcome), lease()) === 'park');
  expect(parked.map(([name]) => name).join(' ')).toBe(kept);
});

test('a run that never started has left nothing to look at', () => {
  const outcome: Outcome = { kind: 'timed-out', after: 'pending' };
  expect(afterRun(ended('keep-on-failure', outcome), lease())).toBe('park');
  expect(afterRun({ ...ended('keep-on-failure', outcome), startedAt: undefined }, lease())).toBe('release');
});

test('a place that was never granted, or not provisioned to the end, is released', () => {
  const good: Outcome = { kind: 'exited', code: 0 };
  const twoSteps = { setup: { ...setup('reuse'), provision: [{ argv: ['a'] }, { argv: ['b'] }] } };
  expect(afterRun(ended('reuse', good), lease({ status: 'pending' }))).toBe('release');
  expect(afterRun(ended('reuse', good), lease({ spec: twoSteps, provisioning: { done: 1, seals: [] } }))).toBe('release');
  expect(afterRun(ended('reuse', good), lease({ spec: twoSteps, provisioning: { done: 2, seals: [] } }))).toBe('park');
});

test('a lease that the run was sent to is not its own', () => {
  const spec = { lease: 'lease-1', setup: setup('fresh') };
  expect(afterRun({ spec, outcome: { kind: 'lost', evidence: 'x' }, startedAt: 1 }, lease())).toBe('park');
});

test('a lease for a short time need not last longer than that', () => {
  expect([mustLastUntil(1000, 3_600_000), mustLastUntil(1000, 4000)]).toEqual([31_000, 2000]);
});
