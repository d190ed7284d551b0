import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../store/sqlite.ts';
import { isSealed } from './references/sealed.ts';
import type { ApplyEvent } from './sdk.ts';
import { resource, stackBed } from '../../test/stack-bed.ts';

const basic = {
  resources: {
    net: resource('infra.vpc', { cidr: '10.0.0.0/16' }),
    db: resource('infra.database', { vpc_ref: '${net.id}' }, { protected: true }),
    app: resource('fake.thing', { dsn: '${db.uri}', greeting: 'port ${db.port}', price: '$${x}' }),
  },
  outputs: { at: { value: '${db.host}' }, dsn: { value: '${db.uri}' } },
};

test('plan, apply, and nothing is left to do; what changes is planned and applied, and the stack goes as a whole', async () => {
  await using bed = await stackBed();
  const stack = await bed.write(basic);
  const plan = await stack.plan();
  expect(plan.actions.map(({ kind, resource: name }) => `${kind} ${name}`)).toEqual(['create net', 'create db', 'create app']);
  const result = await stack.apply(plan);
  expect(result.outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  expect(bed.fake.received('app')).toMatchObject({ greeting: 'port 5432', price: '${x}' });
  expect(await stack.plan()).toMatchObject({ actions: [], drift: [], refreshed: [], unchanged: 3 });

  expect(await stack.outputs()).toMatchObject({ at: { sensitive: false }, dsn: { value: '[redacted]', sensitive: true } });
  expect((await stack.outputs({ reveal: true }))['dsn']?.value).toMatch(/^postgres:\/\//);

  const changed = await bed.write({
    ...basic,
    resources: { ...basic.resources, net: resource('infra.vpc', { cidr: '10.1.0.0/16' }) },
  });
  const next = await changed.plan();
  const before = bed.fake.thing('net')?.id;
  expect((await changed.apply(next)).outcomes.every(({ status }) => status === 'done')).toBe(true);
  expect(bed.fake.thing('net')?.id).not.toBe(before);
  expect(bed.fake.received('db')).toEqual({ vpc_ref: bed.fake.thing('net')?.id });
  expect((await changed.plan()).actions).toEqual([]);

  const destroy = await changed.plan({ purpose: 'destroy' });
  await expect(changed.apply(destroy)).rejects.toMatchObject({ code: 'infra/protected' });
  expect(bed.fake.things().length).toBe(3);
  await changed.apply(destroy, { allow: ['db'] });
  expect(bed.fake.things()).toEqual([]);
  const state = await changed.state();
  expect([state.resources.size, state.outputs.size]).toEqual([0, 0]);
});

test('a plan is refused when the state, the config or the stack moved, and says which', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.thing', { n: 1 }) } });
  const plan = await stack.plan();
  await stack.apply(plan);
  await expect(stack.apply(plan)).rejects.toMatchObject({ code: 'infra/stale-plan', message: /serial/ });
  const late = await stack.plan();
  const other = await bed.write({ resources: { a: resource('fake.thing', { n: 2 }) }, environments: { prod: {} } });
  await expect(other.apply(late)).rejects.toMatchObject({ code: 'infra/stale-plan', message: /configuration/ });
  const prod = await bed.open({ env: 'prod' });
  await expect(prod.apply(await other.plan())).rejects.toMatchObject({ code: 'infra/stale-plan', message: /stack default/ });
  expect(bed.fake.count('update')).toBe(0);
});

test('drift is told and healed; refresh records what is there', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.thing', { n: 1 }), b: resource('fake.thing') } });
  await stack.apply(await stack.plan());
  expect((await stack.drift()).map((one) => one.class)).toEqual(['in-sync', 'in-sync']);
  bed.fake.remove('b');
  bed.fake.change('a', { n: 9 });
  expect((await stack.drift()).map((one) => [one.name, one.class, one.fields])).toEqual([
    ['a', 'config', ['n']],
    ['b', 'ghost', []],
  ]);
  expect(await stack.refresh()).toMatchObject({ refreshed: ['a'], ghosts: ['b'] });
  expect([...(await stack.state()).resources.keys()]).toEqual(['a']);
  await stack.apply(await stack.plan());
  expect((await stack.drift()).every((one) => !one.drifted)).toBe(true);
  expect(bed.fake.thing('a')?.config).toEqual({ n: 1 });
  expect((await stack.status()).map(({ status }) => status)).toEqual(['running', 'running']);
});

test('a driver without a detector is compared by what is recorded, sensitive values masked', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { db: resource('infra.database', { size: 1 }) } });
  await stack.apply(await stack.plan());
  Object.assign(bed.fake.infra, { driftDetector: undefined });
  const again = await bed.open();
  bed.fake.change('db', { size: 2 });
  expect(await again.drift()).toMatchObject([{ class: 'config', fields: ['size'], expected: { size: 1 }, actual: { size: 2 } }]);
});

test('what exists is imported, one by its id or all of a type', async () => {
  await using bed = await stackBed();
  const first = await bed.write({ resources: { a: resource('infra.database', { n: 1 }), b: resource('infra.database') } });
  await first.apply(await first.plan());
  const ids = bed.fake.things().map((thing) => thing.id);
  await first.remove(['a', 'b']);
  await expect(first.import('a', 'nothing')).rejects.toMatchObject({ code: 'provider/not-found' });
  await expect(first.import('zzz', ids[0] ?? '')).rejects.toMatchObject({ code: 'state/unknown' });
  const record = await first.import('a', bed.fake.thing('a')?.id ?? '');
  expect(record).toMatchObject({ source: 'import', providerId: bed.fake.thing('a')?.id });
  expect(isSealed(record.outputs['password'])).toBe(true);
  await expect(first.import('a', ids[0] ?? '')).rejects.toMatchObject({ code: 'state/conflict' });
  expect((await first.importAll('cloud', 'infra.database', { dryRun: true })).map(({ name }) => name)).toEqual(['b']);
  expect([...(await first.state()).resources.keys()]).toEqual(['a']);
  await first.importAll('cloud', 'infra.database');
  expect((await first.plan()).actions.filter(({ kind }) => kind !== 'read')).toEqual([]);
  expect((await first.state()).resources.size).toBe(2);
});

test('the state can be moved, forgotten, restored, pulled and pushed', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({
    resources: { a: resource('fake.thing'), b: resource('fake.thing', { of: '${a.id}' }) },
    outputs: { o: { value: '${a.id}' } },
  });
  const { serial } = await stack.apply(await stack.plan());
  const document = await stack.pull();
  await stack.move('a', 'renamed');
  const moved = await stack.state();
  expect(moved.resources.get('b')?.dependencies).toEqual(['renamed']);
  await expect(stack.move('b', 'renamed')).rejects.toMatchObject({ code: 'state/conflict' });
  await expect(stack.remove(['b', 'zzz'])).rejects.toMatchObject({ code: 'state/unknown' });
  await stack.remove(['b', 'renamed']);
  expect((await stack.state()).resources.size).toBe(0);
  const before = await stack.state();
  const head = await stack.restore(serial);
  expect(head.serial).toBe(before.serial + 1);
  expect([...(await stack.state()).resources.keys()]).toEqual(['a', 'b']);
  expect((await stack.history()).map(({ by }) => by.split(' ').slice(0, 2).join(' '))).toMatchObject([
    'state restore',
    'state rm',
    'state mv',
    expect.stringMatching(/^apply plan-/),
  ]);
  expect((await stack.plan()).actions).toEqual([]);

  await expect(stack.push(document)).rejects.toMatchObject({ code: 'state/conflict' });
  await stack.remove(['a']);
  await stack.push(document, { force: true });
  expect((await stack.state()).resources.size).toBe(2);
  await expect(stack.push({ format: 99 }, { force: true })).rejects.toMatchObject({ code: 'state/newer' });
  await expect(stack.push({ format: 1 })).rejects.toMatchObject({ code: 'infra/invalid' });
  await expect(stack.restore(999)).rejects.toMatchObject({ code: 'state/unknown' });
});

test('a credential is minted before the old one is revoked; what cannot be revoked is told and deleted later', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { key: resource('fake.credential') } });
  await stack.apply(await stack.plan());
  const old = (await stack.state()).resources.get('key')?.providerId ?? '';
  const rotated = await stack.rotate('key');
  expect(rotated).toMatchObject({ revoked: true, record: { deposed: [] } });
  expect(rotated.record.providerId).not.toBe(old);
  expect(bed.fake.told.revoked).toEqual([old]);
  expect(bed.fake.things().map(({ id }) => id)).toEqual([rotated.record.providerId]);

  bed.fake.rule({ on: 'revoke', fault: { do: 'refuse', code: 'provider/refused' } });
  const second = await stack.rotate('key');
  expect(second).toMatchObject({ revoked: false, record: { deposed: [{ providerId: rotated.record.providerId }] } });
  expect(second.problem).toBeTruthy();
  expect(bed.fake.things().length).toBe(2);
  await stack.apply(await stack.plan());
  expect(bed.fake.things().map(({ id }) => id)).toEqual([second.record.providerId]);

  bed.fake.goodManners();
  bed.fake.rule({ on: 'create', fault: { do: 'refuse', code: 'provider/quota' } });
  await expect(stack.rotate('key')).rejects.toMatchObject({ code: 'provider/quota' });
  expect((await stack.state()).resources.get('key')?.providerId).toBe(second.record.providerId);
}, 60_000);

test('another value behind the same reference is a change, and is applied once', async () => {
  await using bed = await stackBed();
  const declared = { resources: { a: resource('fake.thing', { token: 'secret://env/TOKEN' }) } };
  const stack = await bed.write(declared);
  await stack.apply(await stack.plan());
  expect((await stack.plan()).actions).toEqual([]);

  const later = await bed.open({ token: 'tok-2' });
  const plan = await later.plan();
  expect(plan.actions).toMatchObject([{ kind: 'update', resource: 'a', changes: [{ path: 'token', sensitive: true }] }]);
  expect(plan.actions[0]?.because).toContain('secret://env/TOKEN has another value');
  expect(JSON.stringify(plan)).not.toContain('tok-');
  expect((await later.apply(plan)).outcomes).toMatchObject([{ status: 'done' }]);
  expect((await later.plan()).actions).toEqual([]);
  expect((await stack.plan()).actions).toMatchObject([{ kind: 'update' }]);
  expect(JSON.stringify(await later.pull())).not.toContain('tok-');
});

test('a new value of a secret whose update was broken off is given again: nobody can see whether it arrived', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.thing', { token: 'secret://env/TOKEN' }) } });
  await stack.apply(await stack.plan());
  const later = await bed.open({ token: 'tok-2' });
  bed.fake.rule({ on: 'update', fault: { do: 'hang' } });
  const abort = new AbortController();
  const on = (event: ApplyEvent) => event.kind === 'started' && setTimeout(() => abort.abort(new Error('dead')), 20);
  await later.apply(await later.plan(), { abort: abort.signal, on });
  bed.fake.goodManners();
  await later.refresh();
  const plan = await later.plan();
  expect(plan.actions).toMatchObject([{ kind: 'update', resource: 'a' }]);
  await later.apply(plan);
  expect((await later.plan()).actions).toEqual([]);
});

test('what is no credential, and what nobody can revoke, is not rotated', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.thing') } });
  await stack.apply(await stack.plan());
  await expect(stack.rotate('a')).rejects.toMatchObject({ code: 'usage/invalid', message: /no credential/ });
  expect(bed.fake.count('create')).toBe(1);
});

test('an output that its resource does not have is told by the apply that finds out', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({
    resources: { a: resource('fake.thing') },
    outputs: { good: { value: '${a.endpoint}' }, bad: { value: '${a.endpont}' } },
  });
  const result = await stack.apply(await stack.plan());
  expect(result).toMatchObject({ outcomes: [{ status: 'done' }], failures: [{ resource: 'outputs.bad', action: 'resolving' }] });
  expect(result.failures[0]?.error).toContain("did you mean 'endpoint'?");
  expect(Object.keys(await stack.outputs())).toEqual(['good']);
});

test('an output of a resource that failed is no failure of its own', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.thing') }, outputs: { x: { value: '${a.endpoint}' } } });
  bed.fake.rule({ on: 'create', fault: { do: 'refuse', code: 'provider/quota' } });
  expect(await stack.apply(await stack.plan())).toMatchObject({ outcomes: [{ status: 'failed' }], failures: [] });
});

test('a name to allow that is not there is refused before anything is done', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { data: resource('fake.thing') } });
  const refused = expect(stack.apply(await stack.plan(), { allow: ['dta'] })).rejects;
  await refused.toMatchObject({ code: 'usage/invalid', next: "did you mean 'data'?" });
  expect(bed.fake.things()).toEqual([]);
});

test('the lock names who has it and can be taken away; its former holder is refused', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.slow', { ms: 300 }) } });
  const other = await bed.open();
  const plan = await stack.plan();
  const begun = Promise.withResolvers<void>();
  const applying = stack.apply(plan, { on: (event) => event.kind === 'started' && begun.resolve() });
  await begun.promise;
  expect(await other.lock()).toMatchObject({ reason: `apply ${plan.id}` });
  await expect(other.apply(plan)).rejects.toMatchObject({ code: 'infra/locked', next: /infra unlock/ });
  expect((await other.unlock())?.reason).toBe(`apply ${plan.id}`);
  await expect(applying).rejects.toMatchObject({ code: 'infra/fenced' });
  // What the fenced one made is found by whoever comes next.
  await other.apply(await other.plan());
  expect((await other.state()).resources.get('a')?.providerId).toBe(bed.fake.thing('a')?.id);
  expect(bed.fake.things().length).toBe(1);
  expect(await other.lock()).toBeUndefined();
});

test('cleanup, owners, bootstrap and logs go to the services of the providers', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({
    resources: { a: resource('fake.thing', { tags: ['pr-1'] }), b: resource('fake.thing', { tags: ['pr-2'] }) },
  });
  await stack.apply(await stack.plan(), { owner: 'red' });
  expect((await stack.owners('red')).map(({ ref }) => ref.name).toSorted()).toEqual(['a', 'b']);
  expect(await stack.cleanup('pr-1', { fix: false })).toMatchObject([{ ref: { name: 'a' }, deleted: false }]);
  expect(bed.fake.things().length).toBe(2);
  expect(await stack.cleanup('pr-1', { fix: true })).toMatchObject([{ ref: { name: 'a' }, deleted: true }]);
  expect([...(await stack.state()).resources.keys()]).toEqual(['b']);
  expect(await stack.bootstrap()).toEqual({ FAKE_STATE: 'ready' });
  const request = { resource: { name: 'b', type: '' }, type: 'run', follow: false } as const;
  const lines: string[] = [];
  for await (const { bytes } of stack.logs(request, new AbortController().signal)) lines.push(Buffer.from(bytes).toString());
  expect(lines).toEqual(['run: one\n', 'run: two\n', 'run: three\n']);
});

test("the state lies in a plugin's backend where the config says so", async () => {
  await using bed = await stackBed();
  const infra = { resources: { db: resource('infra.database') }, backend: { provider: 'cloud', name: 'fake' } };
  const stack = await bed.write(infra);
  await stack.apply(await stack.plan());
  const again = await bed.open();
  expect((await again.plan()).actions).toEqual([]);
  const record = await bed.fake.infra.stateBackend?.get('db', { signal: new AbortController().signal, log: () => {} });
  expect(record).toMatchObject({ resourceId: 'db', resourceType: 'infra.database', provider: 'fake', providerRef: 'cloud' });
  expect(isSealed(record?.outputs['password'])).toBe(true);
  expect((await again.state()).resources.get('db')?.source).toBe('apply');
});

test('a state that is damaged is refused by everything but the restoration of a version before the damage', async () => {
  await using bed = await stackBed();
  const stack = await bed.write({ resources: { a: resource('fake.thing', { n: 1 }), b: resource('fake.thing') } });
  const { serial } = await stack.apply(await stack.plan());
  const next = await bed.write({ resources: { a: resource('fake.thing', { n: 2 }), b: resource('fake.thing') } });
  await next.apply(await next.plan());
  await using database = await openSqlite(join(bed.directory, 'home', 'errand.db'));
  await database.transaction((tx) => tx.run(`UPDATE infra_records SET body = '{"name":' WHERE name = 'a' AND until IS NULL`));
  for (const attempt of [() => next.plan(), () => next.state(), () => next.refresh(), () => next.remove(['b'])]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'state/corrupt', message: /record of a / });
  }
  await next.restore(serial);
  expect((await next.state()).resources.get('a')?.config).toEqual({ n: 1 });
  // It is compared with what is there, so nothing is done twice.
  expect((await next.plan()).actions).toEqual([]);
  expect((await next.history()).length).toBe(3);
});
