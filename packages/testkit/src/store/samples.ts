import type {
  Holder,
  Lease,
  LeaseEvent,
  LeaseSpec,
  LeaseStatus,
  NewLease,
  NewRun,
  Run,
  RunEvent,
  RunSpec,
  RunStatus,
  Store,
} from '@errand/core';

export const runSpec: RunSpec = {
  environment: 'local',
  provider: 'local',
  options: {},
  command: { argv: ['true'] },
  env: {},
  secretEnv: {},
  resources: {},
  grace: 5_000,
  ttl: 60_000,
  labels: {},
  collect: [],
};

export const leaseSpec: LeaseSpec = {
  environment: 'local',
  provider: 'local',
  options: {},
  resources: {},
  labels: {},
  ttl: 60_000,
};

/** Far away, so that no lease of a scenario is over by accident. */
export const later = 4_000_000_000_000;

export const holder = (pid: number): Holder => ({ machine: 'here', pid, started: '1' });

/** Claimed by the first watcher, so its epoch is 1. */
export function newRun(id: string, more: Partial<NewRun> = {}): NewRun {
  return { id, digest: 'digest', spec: runSpec, holder: holder(1), heldUntil: 1_000, now: 1, ...more };
}

export function newLease(id: string, more: Partial<NewLease> = {}): NewLease {
  return { id, spec: leaseSpec, expiresAt: later, now: 1, ...more };
}

const wayToRun: Readonly<Record<RunStatus, readonly RunEvent[]>> = {
  queued: [],
  leasing: ['lease'],
  realizing: ['lease', 'realize'],
  running: ['lease', 'realize', 'start'],
  closing: ['end'],
  closed: ['end', 'close'],
};

const wayToLease: Readonly<Record<LeaseStatus, readonly LeaseEvent[]>> = {
  pending: [],
  active: ['granted'],
  idle: ['granted', 'park'],
  releasing: ['release'],
  released: ['release', 'confirmed'],
};

export async function runThatIs(store: Store, status: RunStatus, id: string): Promise<Run> {
  let { run } = await store.openRun(newRun(id));
  for (const event of wayToRun[status]) run = await store.advanceRun(id, run.epoch, event, {}, 2);
  return run;
}

export async function leaseThatIs(store: Store, status: LeaseStatus, id: string, more: Partial<NewLease> = {}): Promise<Lease> {
  let lease = await store.openLease(newLease(id, more));
  for (const event of wayToLease[status]) lease = await store.advanceLease(id, lease.epoch, event, {}, 2);
  return lease;
}
