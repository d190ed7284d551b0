// What becomes of places between runs, on the fake provider in virtual time.
import { createLeaseBed } from '@errand/testkit';
import type { LeaseBed } from '@errand/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryLogs } from '../logs/memory.ts';
import type { Database } from '../store/database.ts';
import { openStoreOn } from '../store/open.ts';
import { openSqlite } from '../store/sqlite.ts';

let database: Database;
let bed: LeaseBed;
beforeEach(async () => {
  database = await openSqlite(':memory:');
  bed = createLeaseBed(await openStoreOn(database), createMemoryLogs());
});
afterEach(() => database[Symbol.asyncDispose]());

const hour = 3_600_000;
const minute = 60_000;
const reuse = { lease: { policy: 'reuse', ttl: hour } } as const;
const statusOf = async (id: string) => (await bed.store.lease(id))?.status;
const places = () => bed.cloud.places().length;

describe('reuse', () => {
  test('a later run gets the place of an earlier one, in another process too, with a clean workspace', async () => {
    const first = await bed.run(bed.start([reuse]), 'write note secret exit 3');
    expect(await statusOf(first.lease)).toBe('idle');
    const second = await bed.run(bed.start([reuse]), 'cat note say end');
    expect(second).toMatchObject({ lease: first.lease, output: 'end\n', outcome: { kind: 'exited', code: 0 } });
    expect(places()).toBe(1);
  });

  test('of two at once, the second gets a place of its own', async () => {
    const runtime = bed.start([reuse]);
    const both = [runtime, bed.start([reuse])].map(
      async (one) => (await one.run({ environment: 'box', command: ['sleep', '500'] })).closed,
    );
    const [one, two] = await bed.settle(Promise.all(both));
    expect(one?.lease).not.toBe(two?.lease);
    const third = await bed.run(runtime, 'exit 0');
    expect([one?.lease, two?.lease]).toContain(third.lease);
    expect(places()).toBe(2);
  });

  test.each([
    ['another label', reuse, { reuseLabel: 'other' }],
    ['another image', reuse, { image: 'other' }],
    ['other variables of the environment', { ...reuse, env: { A: '2' } }, {}],
    ['other options', { ...reuse, options: { size: 'big' } }, {}],
    ['another name', { ...reuse, name: 'two' }, { environment: 'two' }],
  ])('%s: another place', async (_what, environment, request) => {
    const first = await bed.run(bed.start([reuse]), 'exit 0');
    const second = await bed.run(bed.start([environment]), 'exit 0', request);
    expect(second).toMatchObject({ outcome: { kind: 'exited', code: 0 } });
    expect(second.lease).not.toBe(first.lease);
    expect(await statusOf(first.lease)).toBe('idle');
  });

  test('a secret with another value: another place', async () => {
    const environment = { ...reuse, secretEnv: { TOKEN: 'secret://env/TOKEN' } };
    const first = await bed.run(bed.start([environment], 'old'), 'exit 0');
    expect((await bed.run(bed.start([environment], 'old'), 'exit 0')).lease).toBe(first.lease);
    expect((await bed.run(bed.start([environment], 'new'), 'exit 0')).lease).not.toBe(first.lease);
  });

  test('a place that is gone is given up, and the run gets another one', async () => {
    const runtime = bed.start([reuse]);
    const first = await bed.run(runtime, 'exit 0');
    bed.cloud.destroy(first.lease);
    const second = await bed.run(runtime, 'exit 0');
    expect(second.outcome).toEqual({ kind: 'exited', code: 0 });
    expect(second.lease).not.toBe(first.lease);
    expect(await statusOf(first.lease)).toBe('released');
  });

  test('while the provider does not answer, one place after the other is not given up', async () => {
    const runtime = bed.start([reuse]);
    const both = [runtime, runtime].map(async (one) => (await one.run({ environment: 'box', command: ['sleep', '500'] })).closed);
    await bed.settle(Promise.all(both));
    bed.cloud.manners.add({ on: 'host.renew', manner: { do: 'refuse', code: 'provider/unreachable' } });
    expect((await bed.run(runtime, 'exit 0')).outcome).toMatchObject({ kind: 'errored', reason: 'network' });
    expect((await bed.store.leases({ statuses: ['idle'] })).length).toBe(1);
    expect(places()).toBe(2);
  });

  test('taking renews, and one that is about to expire is not taken', async () => {
    const runtime = bed.start([reuse]);
    const first = await bed.run(runtime, 'exit 0');
    await bed.pass(50 * minute);
    expect((await bed.run(runtime, 'exit 0')).lease).toBe(first.lease);
    await bed.pass(50 * minute);
    expect((await bed.run(runtime, 'exit 0')).lease).toBe(first.lease);
    await bed.pass(hour - 10_000);
    const last = await bed.run(runtime, 'exit 0');
    expect(last.lease).not.toBe(first.lease);
    await bed.pass(2 * hour);
    await bed.settle(runtime.sweep());
    expect([await statusOf(first.lease), await statusOf(last.lease)]).toEqual(['released', 'released']);
  });

  test('a place whose job was lost is not trusted again', async () => {
    const { lease, outcome } = await bed.run(bed.start([reuse]), 'lose');
    expect(outcome.kind).toBe('lost');
    expect(await statusOf(lease)).toBe('released');
  });

  test('a label where nothing is reused is refused', async () => {
    const asked = bed.start([{}]).run({ environment: 'box', command: ['exit'], reuseLabel: 'x' });
    await expect(asked).rejects.toMatchObject({ code: 'usage/invalid' });
  });
});

describe('keep-on-failure', () => {
  const keep = { lease: { policy: 'keep-on-failure', ttl: hour } } as const;

  test('a failed run leaves its place to be looked at; a good one does not', async () => {
    const runtime = bed.start([keep]);
    const failed = await bed.run(runtime, 'write trace here exit 3');
    expect(await statusOf(failed.lease)).toBe('idle');
    expect((await bed.run(runtime, 'exit 0')).lease).not.toBe(failed.lease);
    expect((await bed.run(runtime, 'cat trace', { environment: 'box', lease: failed.lease })).output).toBe('here');
    expect(places()).toBe(2);
    expect(bed.cloud.places().filter((place) => place.goneAt === undefined).length).toBe(1);
  });

  test('whoever cancels knows why: nothing is kept', async () => {
    const runtime = bed.start([keep]);
    const job = await runtime.run({ environment: 'box', command: ['forever'] });
    await bed.pass(1000);
    const run = await bed.settle(job.cancel());
    expect(run.outcome?.kind).toBe('cancelled');
    expect(await statusOf(run.lease ?? '')).toBe('released');
  });
});

describe('provision', () => {
  const provision = [{ argv: ['emit', '2', 'write', 'tool', 'ready'] }, { script: 'warn nearly sleep 100' }];

  test('is done once per place, before the first job, and has a log of its own', async () => {
    const runtime = bed.start([{ ...reuse, provision }]);
    const first = await bed.run(runtime, 'cat tool');
    expect(first.output).toBe('ready');
    await bed.run(runtime, 'exit 0');
    const steps = bed.cloud.jobs().filter((job) => job.key.startsWith('lease-'));
    expect(steps.map((job) => job.key)).toEqual([`${first.lease}-p1`, `${first.lease}-p2`]);
    const parts: string[] = [];
    for await (const entry of runtime.logs(first.lease)) parts.push(`${entry.stream} ${Buffer.from(entry.bytes).toString()}`);
    expect(parts.join('')).toBe('stdout 1\n2\nstderr nearly\n');
  });

  test('a failing command ends the run with what it printed, and the place is released', async () => {
    const runtime = bed.start([
      { ...reuse, provision: [provision[0] ?? { argv: [] }, { argv: ['say', 'no-space', 'exit', '28'] }] },
    ]);
    const { outcome, lease } = await bed.run(runtime, 'exit 0');
    expect(outcome).toMatchObject({
      kind: 'errored',
      reason: 'config',
      code: 'provision/failed',
      next: `Read all of it with: errand logs ${lease}`,
    });
    expect((outcome as { message: string }).message).toContain(
      "'say no-space exit 28' failed: it exited with 28; its output begins: no-space",
    );
    expect(await statusOf(lease)).toBe('released');
    const parts: string[] = [];
    for await (const entry of runtime.logs(lease)) parts.push(Buffer.from(entry.bytes).toString());
    expect(parts.join('')).toBe('1\n2\nno-space\n');
  });

  test('a standing lease is provisioned before it is handed out', async () => {
    const runtime = bed.start([{ provision }]);
    const lease = await bed.settle(runtime.acquire('box'));
    expect(lease.lease).toMatchObject({ status: 'idle', provisioning: { done: 2 } });
    expect((await bed.run(runtime, 'cat tool', { environment: 'box', lease: lease.id })).output).toBe('ready');
    const failing = bed.start([{ provision: [{ argv: ['exit', '1'] }] }]);
    await expect(bed.settle(failing.acquire('box'))).rejects.toMatchObject({ code: 'provision/failed' });
    expect(bed.cloud.places().filter((place) => place.goneAt === undefined).length).toBe(1);
  });
});

describe('warm', () => {
  const warm = { warm: 2, provision: [{ argv: ['sleep', '5000'] }] } as const;
  const ready = async () => (await bed.store.leases({ statuses: ['idle'] })).filter(({ spec, used }) => spec.warm && !used);

  test('ready places are taken one by one, filled again in the background, and released after a fresh run', async () => {
    const runtime = bed.start([warm]);
    const report = await bed.settle(runtime.warm());
    expect(report.pools).toMatchObject([{ environment: 'box', wanted: 2, ready: 0, missing: 0, problems: [] }]);
    const before = (await ready()).map((lease) => lease.id);
    expect(before.length).toBe(2);
    const start = bed.clock.now();
    const { lease } = await bed.run(runtime, 'exit 0');
    expect(bed.clock.now() - start).toBeLessThan(1000);
    expect(before).toContain(lease);
    expect(await statusOf(lease)).toBe('released');
    await bed.pass(minute);
    const after = (await ready()).map((one) => one.id);
    expect(after.length).toBe(2);
    expect(after).not.toContain(lease);
    expect((await bed.settle(bed.start([warm]).warm('box'))).pools).toMatchObject([{ ready: 2, made: [] }]);
  });

  test('an edited environment gets nothing old; what is not wanted any more is given up', async () => {
    await bed.settle(bed.start([warm]).warm());
    const old = (await ready()).map((lease) => lease.id);
    const edited = bed.start([{ ...warm, warm: 1, env: { A: '1' } }]);
    const outdated = await bed.settle(edited.outdated(await ready()));
    expect([...outdated.values()]).toEqual(["it stands on an older 'box'", "it stands on an older 'box'"]);
    const dry = await bed.settle(edited.warm(undefined, { dryRun: true }));
    expect(dry.released.map((line) => line.did)).toEqual(['would-release', 'would-release']);
    expect(dry.pools).toMatchObject([{ wanted: 1, ready: 0, missing: 1 }]);
    expect(old).not.toContain((await bed.run(edited, 'exit 0')).lease);
    await bed.settle(edited.sweep());
    for (const id of old) expect(await statusOf(id)).toBe('released');
    await bed.settle(edited.warm());
    expect((await ready()).length).toBe(1);
    const none = await bed.settle(bed.start([{ name: 'other' }]).sweep());
    expect(none.lines).toMatchObject([
      { did: 'released', because: "the environment 'box' is no longer defined, so no run will take it" },
    ]);
  });

  test('a place that cannot be made is told, and leaves nothing behind', async () => {
    const failing = bed.start([{ warm: 1, provision: [{ argv: ['exit', '9'] }] }]);
    const { pools } = await bed.settle(failing.warm());
    expect(pools).toMatchObject([{ made: [], missing: 1, problems: [expect.stringContaining('exited with 9')] }]);
    expect(bed.cloud.places().filter((place) => place.goneAt === undefined)).toEqual([]);
  });

  test('an environment that cannot be used does not keep the others from being filled', async () => {
    const runtime = bed.start([warm, { ...warm, name: 'sick', resources: { cpu: 1 } }]);
    const { pools } = await bed.settle(runtime.warm());
    expect(pools).toMatchObject([
      { environment: 'box', problems: [] },
      { environment: 'sick', made: [], problems: [expect.stringContaining('cannot limit cpu')] },
    ]);
    expect((await ready()).length).toBe(2);
  });

  test('reuse takes a ready place when no used one fits, and keeps it for the next run', async () => {
    const runtime = bed.start([{ ...warm, ...reuse }]);
    await bed.settle(runtime.warm());
    const first = await bed.run(runtime, 'exit 0');
    expect((await bed.run(runtime, 'exit 0')).lease).toBe(first.lease);
    await bed.pass(minute);
    expect((await ready()).length).toBe(2);
  });
});

describe('standing leases', () => {
  test('a run that is longer than the lease keeps it alive', async () => {
    const runtime = bed.start([{ lease: { policy: 'fresh', ttl: 20_000 } }]);
    const lease = await bed.settle(runtime.acquire('box'));
    const { outcome } = await bed.run(runtime, 'sleep 300000 exit 4', { environment: 'box', lease: lease.id });
    expect(outcome).toEqual({ kind: 'exited', code: 4 });
    expect(await statusOf(lease.id)).toBe('idle');
  });

  test('takes many runs one after the other; one that comes while another is there is told who has it', async () => {
    const runtime = bed.start([{}]);
    const lease = await bed.settle(runtime.acquire('box'));
    for (let n = 0; n < 5; n++) {
      expect((await bed.run(runtime, `exit ${n}`, { lease: lease.id })).outcome).toEqual({ kind: 'exited', code: n });
    }
    const going = await runtime.run({ lease: lease.id, command: ['sleep', '5000'] });
    await bed.pass(1000);
    const { outcome } = await bed.run(runtime, 'exit 0', { lease: lease.id });
    expect(outcome).toMatchObject({ kind: 'errored', code: 'lease/held', message: expect.stringContaining(going.id) });
    expect(await bed.settle(going.exit)).toEqual({ kind: 'exited', code: 0 });
  });
});
