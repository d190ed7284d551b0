import { expect } from 'vitest';
import type { Lease, LeaseSpec, Run, RunSpec } from '@errand/core';
import { holder } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

const awkward = 'quote " \' newline \n dollar $1 ?1 NUL \0 snow \u2603 half \ud800';

const fullRunSpec: RunSpec = {
  environment: 'ci',
  provider: 'local',
  options: { sandbox: 'strict', list: [1, null, true, { deep: awkward }] },
  command: { argv: ['echo', '', awkward, 'x'.repeat(100_000)] },
  env: { CI: awkward },
  secretEnv: { TOKEN: 'secret://env/CI_TOKEN' },
  image: 'alpine:3',
  resources: { cpu: 0.5, memory: 2 ** 40 },
  timeout: 1,
  pendingTimeout: 2,
  grace: 3,
  ttl: 4,
  labels: { team: 'a b', 'x.y/z': '' },
  lease: 'lease-1',
  workspace: '/somewhere',
  collect: ['**/*.xml'],
  out: '/elsewhere',
  syncBack: true,
};

const fullLeaseSpec: LeaseSpec = {
  environment: 'ci',
  provider: 'local',
  options: { deep: [awkward] },
  image: 'alpine:3',
  resources: { cpu: 2 },
  labels: { team: awkward },
  ttl: 2 ** 41,
};

export const readBackRun: StoreScenario = {
  name: 'a run is read back with every field as it was written',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    const now = 1_800_000_000_001;
    const opened = await store.openRun({
      id: 'run-1',
      key: 'key "1"',
      digest: 'abc',
      spec: fullRunSpec,
      holder: holder(7),
      heldUntil: now + 9,
      now,
    });
    const fresh: Run = {
      id: 'run-1',
      key: 'key "1"',
      digest: 'abc',
      spec: fullRunSpec,
      status: 'queued',
      epoch: 1,
      holder: holder(7),
      heldUntil: now + 9,
      lease: undefined,
      job: undefined,
      cancel: undefined,
      cause: undefined,
      outcome: undefined,
      problem: undefined,
      sync: undefined,
      seals: [],
      createdAt: now,
      startedAt: undefined,
      endedAt: undefined,
      closedAt: undefined,
    };
    expect(opened).toStrictEqual({ run: fresh, created: true });
    expect(await other.run('run-1')).toStrictEqual(fresh);

    await store.cancelRun('run-1', 'force', now);
    const patch = {
      lease: 'lease-1',
      job: { kind: 'job', provider: 'local', version: 1, state: { pid: 5, text: awkward } },
      cause: { kind: 'timed-out', after: 'running' },
      outcome: { kind: 'errored', reason: 'oom', code: 'provider/failed', message: awkward, next: 'n' },
      problem: 'could not: "x"\n',
      sync: { written: 1, deleted: 2, ignored: 3, conflicts: [{ path: awkward, why: 'changed-both', kept: 'x' }] },
      seals: [{ epoch: 1, bytes: 5_000_000_000, position: { cursor: 'c', skip: { stdout: 1, stderr: 2 } } }],
      startedAt: now + 1,
      endedAt: now + 2,
      closedAt: now + 3,
    } as const;
    const after = await store.advanceRun('run-1', 1, 'end', patch, now);
    const full: Run = { ...fresh, ...patch, status: 'closing', cancel: 'force' };
    expect(after).toStrictEqual(full);
    expect(await other.run('run-1')).toStrictEqual(full);
    expect(await other.runByKey('key "1"')).toStrictEqual(full);
    expect(await other.findRuns('run-')).toStrictEqual([full]);
    expect(await other.runs({})).toStrictEqual([full]);

    const cleared = { lease: undefined, job: undefined, problem: undefined, startedAt: undefined };
    await store.noteRun('run-1', 1, cleared, now);
    expect(await other.run('run-1')).toStrictEqual({ ...full, ...cleared });
    expect(await other.run('run-2')).toBe(undefined);
    expect(await other.runByKey('other')).toBe(undefined);
  },
};

export const readBackWaiting: StoreScenario = {
  name: 'a run that waits for a watcher has no holder and epoch 0',
  run: async (bed) => {
    const store = await bed.open();
    const { run } = await store.openRun({ id: 'run-1', digest: 'd', spec: fullRunSpec, now: 5 });
    expect(run).toMatchObject({ epoch: 0, holder: undefined, heldUntil: 0, key: undefined });
    expect(await store.run('run-1')).toStrictEqual(run);
    expect(await store.claimRun('run-1', 0, holder(1), 10, 6)).toMatchObject({ epoch: 1, holder: holder(1), heldUntil: 10 });
  },
};

export const readBackLease: StoreScenario = {
  name: 'a lease is read back with every field as it was written',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    const opened = await store.openLease({
      id: 'lease-1',
      spec: fullLeaseSpec,
      run: 'run-1',
      holder: holder(1),
      reuseKey: 'key "1"',
      expiresAt: 50,
      now: 5,
    });
    const fresh: Lease = {
      id: 'lease-1',
      spec: fullLeaseSpec,
      status: 'pending',
      epoch: 1,
      run: 'run-1',
      holder: holder(1),
      place: undefined,
      reuseKey: 'key "1"',
      used: false,
      provisioning: undefined,
      expiresAt: 50,
      attempts: 0,
      retryAt: 0,
      problem: undefined,
      createdAt: 5,
      endedAt: undefined,
    };
    expect(opened).toStrictEqual(fresh);
    expect(await other.lease('lease-1')).toStrictEqual(fresh);
    const patch = {
      run: 'run-2',
      place: { kind: 'place', provider: 'local', version: 3, state: ['dir', awkward] },
      provisioning: { done: 2, seals: [{ epoch: 1, bytes: 17 }] },
      expiresAt: 1_900_000_000_000,
      attempts: 4,
      retryAt: 1_900_000_000_001,
      problem: 'refused',
      endedAt: 9,
    } as const;
    const full: Lease = { ...fresh, ...patch, status: 'active' };
    expect(await store.advanceLease('lease-1', 1, 'granted', patch, 6)).toStrictEqual(full);
    expect(await other.lease('lease-1')).toStrictEqual(full);
    expect(await other.findLeases('lease')).toStrictEqual([full]);
    expect(await other.leases({})).toStrictEqual([full]);
    const cleared = { place: undefined, problem: undefined, endedAt: undefined };
    await store.advanceLease('lease-1', 1, 'park', cleared, 7);
    expect(await other.lease('lease-1')).toStrictEqual({ ...full, ...cleared, status: 'idle', run: undefined, used: true });
    expect(await other.lease('lease-2')).toBe(undefined);
  },
};
