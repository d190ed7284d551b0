import type { Lease, Run, StoredEvent } from '@errand/core';
import { expect, test } from 'vitest';
import { violations } from './check.ts';
import type { World, WorldJob, WorldPlace } from './world.ts';

const run = (change: Partial<Run> = {}) =>
  ({
    id: 'run-1',
    key: undefined,
    spec: {},
    status: 'closed',
    lease: 'lease-1',
    outcome: { kind: 'exited', code: 0 },
    closedAt: 50,
    ...change,
  }) as Run;
const lease = (change: Partial<Lease> = {}) =>
  ({ id: 'lease-1', spec: {}, status: 'released', epoch: 1, run: undefined, expiresAt: 100, ...change }) as Lease;
let serial = 0;
const event = (id: string, type: string, at = 50, data: StoredEvent['data'] = {}) =>
  ({ id, type, at, subject: id.startsWith('run') ? 'run' : 'lease', seq: ++serial, data }) as StoredEvent;
const place = (change: Partial<WorldPlace> = {}): WorldPlace => ({
  id: 'p1',
  key: 'lease-1',
  alive: false,
  diedAlone: false,
  goneAt: 60,
  ...change,
});
const job = (change: Partial<WorldJob> = {}): WorldJob => ({
  key: 'run-1',
  starts: 1,
  startedAt: 10,
  endedAt: 20,
  end: { kind: 'exited', code: 0 },
  placeId: 'p1',
  output: { stdout: 'a\nb\n', stderr: '' },
  ...change,
});
const kept = (stdout: string) => new Map([['run-1', { stdout, stderr: '' }]]);
const release = { at: 60, method: 'release', key: 'lease-1', place: 'p1', epoch: 1, result: 'done' } as const;

const good: World = {
  runs: [run()],
  leases: [lease()],
  events: [
    event('lease-1', 'opened', 4, { run: 'run-1' }),
    event('lease-1', 'granted', 5),
    event('run-1', 'end'),
    event('run-1', 'close'),
    event('lease-1', 'release'),
  ],
  captured: kept('a\nb\n'),
  places: [place()],
  jobs: [job()],
  journal: [release],
};

test('a good world has no violations', () => {
  expect(violations(good)).toEqual([]);
});

const provisioned = lease({ spec: { setup: { provision: [{ argv: ['x'] }] } } } as unknown as Lease);
const step = (change: Partial<WorldJob> = {}) => job({ key: 'lease-1-p1', startedAt: 1, endedAt: 5, ...change });

test('a world with a provisioned place has none either', () => {
  const captured = new Map([...kept('a\nb\n'), ['lease-1', { stdout: 'a\nb\n', stderr: '' }]]);
  const leases = [{ ...provisioned, provisioning: { done: 1, seals: [] } }];
  expect(violations({ ...good, leases, jobs: [step(), job()], captured })).toEqual([]);
});

const alive = { end: undefined, endedAt: undefined };

test.each<[string, Partial<World>]>([
  ['placesHaveLeases', { places: [place({ alive: true })] }],
  ['placesHaveLeases', { places: [place(), place({ id: 'p2', key: 'lease-9', alive: true })] }],
  ['jobsAreInsideLeases', { jobs: [job(alive)] }],
  ['runsCloseOnce', { events: [...good.events, event('run-1', 'close')] }],
  ['runsCloseOnce', { runs: [run({ status: 'running', outcome: undefined })] }],
  ['outcomesAreTrue', { runs: [run({ outcome: { kind: 'exited', code: 1 } })] }],
  ['outcomesAreTrue', { runs: [run({ outcome: { kind: 'cancelled' }, cancel: 'ask' })], jobs: [job(alive)] }],
  ['outcomesAreTrue', { runs: [run({ outcome: { kind: 'lost', evidence: 'none' } })] }],
  ['outcomesAreTrue', { runs: [run({ outcome: { kind: 'errored', reason: 'network', code: 'x', message: 'x' } })] }],
  ['outputIsWhole', { captured: kept('a\n') }],
  ['outputIsWhole', { captured: kept('a\na\nb\n') }],
  ['outputIsWhole', { captured: kept('b\na\n') }],
  ['leasesAreExclusive', { jobs: [job(), job({ key: 'run-2', startedAt: 15 })] }],
  ['oldEpochsAreRefused', { journal: [{ ...release, epoch: 2, method: 'renew' }, release] }],
  ['keysHaveOneEffect', { jobs: [job({ starts: 2 })] }],
  ['keysHaveOneEffect', { runs: [run({ key: 'k' }), run({ id: 'run-2', key: 'k' })] }],
  ['liveLeasesAreLeftAlone', { journal: [{ ...release, at: 40 }] }],
  ['liveLeasesAreLeftAlone', { events: [...good.events, event('lease-1', 'expire', 45)] }],
  ['leasesAreHandedOver', { events: [...good.events.slice(0, -1), event('lease-1', 'take', 30, { run: 'run-2' })] }],
  ['placesAreProvisioned', { leases: [provisioned] }],
  ['placesAreProvisioned', { leases: [provisioned], jobs: [step({ endedAt: 15 }), job()] }],
  ['placesAreProvisioned', { leases: [provisioned], jobs: [step({ end: { kind: 'exited', code: 1 } }), job()] }],
  ['provisioningIsKept', { leases: [{ ...provisioned, provisioning: { done: 1, seals: [] } }], jobs: [step(), job()] }],
])('%s finds %o', (name, change) => {
  expect(violations({ ...good, ...change }).some((line) => line.startsWith(`${name}:`))).toBe(true);
});

test('a place that died alone excuses a lost job and the end of its log', () => {
  const runs = [run({ outcome: { kind: 'lost', evidence: 'gone' } })];
  const places = [place({ diedAlone: true })];
  expect(violations({ ...good, runs, places, journal: [], captured: kept('a\n') })).toEqual([]);
});
