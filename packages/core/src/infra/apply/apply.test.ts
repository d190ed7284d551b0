import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ErrandError } from '@errand/contract';
import { action, infraBed } from '../../../test/infra-bed.ts';
import { isSealed } from '../references/sealed.ts';

describe('creating', () => {
  test('what comes after gets what came before, also what nobody may see', async () => {
    await using bed = await infraBed({ outputs: { dsn: { value: 'use ${db.uri}' }, at: { value: '${db.port}' } } });
    const result = await bed.apply([
      action('create', 'db', { size: 's' }, { type: 'infra.database' }),
      action('create', 'app', { dsn: '${db.uri}', port: '${db.port}', of: '${db.id}' }, { after: ['create db'] }),
    ]);
    expect(result.outcomes.map(({ step, status }) => [step, status])).toEqual([
      ['create db', 'done'],
      ['create app', 'done'],
    ]);
    expect(bed.fake.received('app')?.['dsn']).toContain('postgres://');
    expect(bed.fake.received('app')).toMatchObject({ port: 5432, of: bed.fake.thing('db')?.id });
    const state = await bed.state();
    expect(isSealed(state.resources.get('db')?.outputs['uri'])).toBe(true);
    expect(isSealed(state.resources.get('app')?.config['dsn'])).toBe(true);
    expect(isSealed(state.resources.get('app')?.outputs['dsn'])).toBe(true);
    expect(state.outputs.get('at')).toEqual({ value: 5432, sensitive: false });
    expect(state.outputs.get('dsn')?.sensitive).toBe(true);
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('nothing sensitive lies in clear in the data directory, the journal of a broken call included', async () => {
    await using bed = await infraBed({ secrets: { 'secret://env/TOKEN': 'tok-very-secret' } });
    await bed.apply([action('create', 'db', {}, { type: 'infra.database' })]);
    const sealed = (await bed.state()).resources.get('db')?.outputs['password'];
    const password = isSealed(sealed) ? bed.parts.vault.open(sealed) : undefined;
    if (typeof password !== 'string') throw new Error('there is no password');
    expect(password).toMatch(/^pw-/);
    bed.fake.rule({ on: 'create', fault: { do: 'lose-reply' } });
    // The platform names the token in an output that it does not call sensitive.
    await bed.apply([action('create', 'app', { note: '${db.password}', token: 'secret://env/TOKEN' })]);
    expect((await bed.store.journal('default')).length).toBe(1);
    const files = readdirSync(bed.home, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name), 'latin1');
      expect(bytes.includes(password), file.name).toBe(false);
      expect(bytes.includes('tok-very-secret'), file.name).toBe(false);
    }
  });

  test('where a driver knows no keys, a lost answer is looked for by the name, and nothing is made twice or forgotten', async () => {
    await using bed = await infraBed();
    const driver = bed.fake.infra.drivers.get('fake.thing');
    if (!driver) throw new Error('there is no such driver');
    let calls = 0;
    const create: typeof driver.create = (spec, call) => driver.create(spec, { ...call, key: `call ${++calls}` });
    const drivers = new Map([['fake.thing', { ...driver, keyless: true, create }]]);
    Object.assign(bed.parts, { infraOf: async () => ({ ...bed.fake.infra, drivers }) });
    bed.fake.rule({ on: 'create', name: 'made', calls: [1, 1], fault: { do: 'lose-reply' } });
    bed.fake.rule({ on: 'create', name: 'not-made', calls: [1, 1], fault: { do: 'refuse', code: 'provider/unreachable' } });
    bed.fake.rule({ on: 'create', name: 'unknown', fault: { do: 'lose-reply' } });
    bed.fake.rule({ on: 'read', name: 'unknown', fault: { do: 'refuse', code: 'provider/unreachable' } });
    const { outcomes } = await bed.apply(['made', 'not-made', 'unknown'].map((name) => action('create', name, {})));
    expect(outcomes.map(({ resource, status }) => `${resource} ${status}`).toSorted()).toEqual([
      'made done',
      'not-made done',
      'unknown failed',
    ]);
    expect(['made', 'not-made'].map((name) => bed.fake.count('create', name))).toEqual([1, 2]);
    expect(await bed.store.journal('default')).toMatchObject([{ resource: 'unknown' }]);
    bed.fake.goodManners();
    await bed.apply([]);
    const recorded = [...(await bed.state()).resources.values()].map(({ providerId }) => providerId);
    expect(recorded.toSorted()).toEqual(
      bed.fake
        .things()
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test('a failed step takes down what comes after it, and nothing else', async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', name: 'a', fault: { do: 'refuse', code: 'provider/quota' } });
    const { outcomes } = await bed.apply([
      action('create', 'a', {}),
      action('create', 'b', { of: '${a.id}' }, { after: ['create a'] }),
      action('create', 'c', { of: '${b.id}' }, { after: ['create b'] }),
      action('create', 'd', {}),
    ]);
    expect(outcomes.toSorted((x, y) => (x.step < y.step ? -1 : 1))).toMatchObject([
      { step: 'create a', status: 'failed', error: { code: 'provider/quota' } },
      { step: 'create b', status: 'skipped', because: 'create a failed' },
      { step: 'create c', status: 'skipped', because: 'create a failed' },
      { step: 'create d', status: 'done' },
    ]);
    expect([...(await bed.state()).resources.keys()]).toEqual(['d']);
  });

  test('something of that name that is there already is updated where the driver allows it, and refused where not', async () => {
    await using bed = await infraBed();
    const ask = { signal: new AbortController().signal, log: () => {}, epoch: 1, secret: async () => '' };
    for (const type of ['infra.compute', 'fake.thing']) {
      const spec = { name: `there-${type}`, type, config: { tag: 'old' }, dependsOn: [] };
      await bed.fake.infra.drivers.get(type)?.create(spec, { ...ask, key: `other-${type}` });
    }
    const { outcomes } = await bed.apply([
      action('create', 'there-infra.compute', { tag: 'new' }, { type: 'infra.compute' }),
      action('create', 'there-fake.thing', { tag: 'new' }),
    ]);
    expect(outcomes.find((one) => one.resource === 'there-infra.compute')).toMatchObject({ status: 'done', adopted: true });
    expect(outcomes.find((one) => one.resource === 'there-fake.thing')).toMatchObject({
      status: 'failed',
      error: { code: 'provider/conflict' },
    });
    expect(bed.fake.thing('there-fake.thing')?.config).toEqual({ tag: 'old' });
    expect([...(await bed.state()).resources.keys()]).toEqual(['there-infra.compute']);
    expect((await bed.state()).resources.get('there-infra.compute')?.source).toBe('adoption');
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('what is left half-made is recorded as tainted', async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', fault: { do: 'half' } });
    const { outcomes } = await bed.apply([action('create', 'a', {})]);
    expect(outcomes).toMatchObject([{ status: 'failed', error: { code: 'provider/failed' } }]);
    expect((await bed.state()).resources.get('a')).toMatchObject({ tainted: true, providerId: bed.fake.thing('a')?.id });
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('an answer about another resource is an error that forgets nothing', async () => {
    await using bed = await infraBed();
    const driver = bed.fake.infra.drivers.get('fake.thing');
    if (!driver) throw new Error('there is no such driver');
    const wrong = {
      ...driver,
      create: async (...args: Parameters<typeof driver.create>) => ({ ...(await driver.create(...args)), name: 'b' }),
    };
    const parts = { infraOf: async () => ({ ...bed.fake.infra, drivers: new Map([['fake.thing', wrong]]) }) };
    Object.assign(bed.parts, parts);
    const { outcomes } = await bed.apply([action('create', 'a', {})]);
    expect(outcomes).toMatchObject([{ status: 'failed', error: { code: 'infra/failed' } }]);
    expect((await bed.state()).resources.get('a')?.providerId).toBe(bed.fake.thing('a')?.id);
    expect(bed.fake.count('delete')).toBe(0);
  });
});

describe('replacing', () => {
  const destroyFirst = (name: string, region: string, type = 'fake.thing') =>
    action(
      'replace',
      name,
      { region },
      {
        type,
        steps: [
          { id: `delete ${name}`, do: 'delete', after: [] },
          { id: `create ${name}`, do: 'create', after: [`delete ${name}`] },
        ],
      },
    );

  test('destroy first: the new id reaches what depends on it in the same run', async () => {
    await using bed = await infraBed();
    await bed.apply([
      action('create', 'parent', { region: 'a' }),
      action('create', 'child', { of: '${parent.id}' }, { after: ['create parent'] }),
    ]);
    const before = bed.fake.thing('parent')?.id;
    await bed.apply([
      destroyFirst('parent', 'b'),
      action('update', 'child', { of: '${parent.id}' }, { after: ['create parent'], desired: { unknown: ['of'] } }),
    ]);
    const after = bed.fake.thing('parent')?.id;
    expect(after).not.toBe(before);
    expect(bed.fake.received('child')).toEqual({ of: after });
    expect((await bed.state()).resources.get('child')?.config).toEqual({ of: after });
  });

  test('create first: both stand until what depends on it is moved over, then the old one goes', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'key', { region: 'a' }, { type: 'fake.many' })]);
    const old = (await bed.state()).resources.get('key')?.providerId;
    const replace = action(
      'replace',
      'key',
      { region: 'b' },
      {
        type: 'fake.many',
        desired: { createBeforeDestroy: true },
        steps: [
          { id: 'create key', do: 'create', after: [] },
          { id: 'delete key (deposed k1)', do: 'delete', after: ['create key', 'create user'], deposed: 'k1' },
        ],
      },
    );
    bed.fake.rule({ on: 'create', name: 'user', fault: { do: 'refuse', code: 'provider/refused' }, calls: [1, 1] });
    const user = action('create', 'user', { of: '${key.id}' }, { after: ['create key'] });
    await bed.apply([replace, user]);
    const between = (await bed.state()).resources.get('key');
    expect(between?.deposed).toMatchObject([{ key: 'k1', providerId: old }]);
    expect(bed.fake.things().length).toBe(2);
    await bed.apply([
      user,
      action('delete', 'key', undefined, {
        type: 'fake.many',
        steps: [{ id: 'delete key (deposed k1)', do: 'delete', after: ['create user'], deposed: 'k1' }],
      }),
    ]);
    const after = (await bed.state()).resources.get('key');
    expect(after?.deposed).toEqual([]);
    expect(bed.fake.received('user')).toEqual({ of: after?.providerId });
    expect(
      bed.fake
        .things()
        .map((thing) => thing.name)
        .toSorted(),
    ).toEqual(['key', 'user']);
    expect(after?.providerId).not.toBe(old);
  });

  test('by the driver itself', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', { region: 'a' }, { type: 'fake.replacer' })]);
    const old = bed.fake.thing('a')?.id;
    await bed.apply([action('replace', 'a', { region: 'b' }, { type: 'fake.replacer' })]);
    expect(bed.fake.count('replace')).toBe(1);
    expect(bed.fake.count('delete')).toBe(0);
    expect((await bed.state()).resources.get('a')?.providerId).toBe(bed.fake.thing('a')?.id);
    expect(bed.fake.thing('a')?.id).not.toBe(old);
  });
});

describe('updating and deleting', () => {
  test('an update that turns out to change nothing calls nobody; one that would replace is refused', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', {}), action('create', 'b', { of: '${a.id}' }, { after: ['create a'] })]);
    const unknown = { desired: { unknown: ['of'] } };
    const same = await bed.apply([action('update', 'b', { of: '${a.id}' }, unknown)]);
    expect(same.outcomes).toMatchObject([{ status: 'done' }]);
    expect(bed.fake.count('update')).toBe(0);
    const other = await bed.apply([action('update', 'b', { region: '${a.id}' }, { desired: { unknown: ['region'] } })]);
    expect(other.outcomes).toMatchObject([{ status: 'failed', error: { code: 'infra/failed' } }]);
    expect(bed.fake.count('update')).toBe(0);
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('a deletion drops the record; a failed one keeps it', async () => {
    await using bed = await infraBed();
    await bed.apply(['a', 'b'].map((name) => action('create', name, {})));
    bed.fake.rule({ on: 'delete', name: 'b', fault: { do: 'refuse', code: 'provider/failed' } });
    await bed.apply(
      ['a', 'b'].map((name) => action('delete', name, undefined)),
      { purpose: 'destroy' },
    );
    expect([...(await bed.state()).resources.keys()]).toEqual(['b']);
    expect(bed.fake.things().map((thing) => thing.name)).toEqual(['b']);
  });

  test('forgetting leaves the resource alone', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', {})]);
    await bed.apply([action('forget', 'a', undefined)]);
    expect((await bed.state()).resources.size).toBe(0);
    expect(bed.fake.things().length).toBe(1);
  });

  test('what is there is taken over by a read', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', { tag: 'x' })]);
    await bed.apply([action('forget', 'a', undefined)]);
    const { outcomes } = await bed.apply([action('read', 'a', { tag: 'x' })]);
    expect(outcomes).toMatchObject([{ status: 'done', adopted: true }]);
    expect((await bed.state()).resources.get('a')).toMatchObject({ source: 'adoption', providerId: bed.fake.thing('a')?.id });
  });
});

describe('breaking off', () => {
  test('stop finishes what is in flight and begins nothing more', async () => {
    await using bed = await infraBed();
    const stop = new AbortController();
    const result = await bed.apply(
      Array.from({ length: 50 }, (_, at) => action('create', `r${at}`, {})),
      { parallelism: 2, stop: stop.signal, on: (event) => event.kind === 'started' && stop.abort() },
    );
    const done = result.outcomes.filter((one) => one.status === 'done').length;
    expect(result.interrupted).toBe(true);
    expect(result.outcomes.length).toBe(50);
    expect(done).toBeLessThanOrEqual(2);
    expect((await bed.state()).resources.size).toBe(done);
    expect(bed.fake.things().length).toBe(done);
    expect(await bed.store.journal('default')).toEqual([]);
    expect(bed.fake.told.finalized).toEqual([]);
  });

  test('abort ends the calls and the journal keeps them; the next command adopts what they made', async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', fault: { do: 'hang-after' }, calls: [1, 1] });
    bed.fake.rule({ on: 'create', fault: { do: 'hang' }, calls: [1, 1] });
    const abort = new AbortController();
    const applying = bed.apply([action('create', 'a', {}), action('create', 'b', {})], {
      abort: abort.signal,
      on: (event) => event.kind === 'started' && event.resource === 'b' && setImmediate(() => abort.abort()),
    });
    const { outcomes, interrupted } = await applying;
    expect(interrupted).toBe(true);
    const open = await bed.store.journal('default');
    expect(open.length).toBe(outcomes.filter((one) => one.status === 'failed').length);
    expect(bed.fake.thing('a')).toBeDefined();
    bed.fake.goodManners();
    await bed.apply([]);
    expect((await bed.state()).resources.get('a')?.providerId).toBe(bed.fake.thing('a')?.id);
    expect(await bed.store.journal('default')).toEqual([]);
    expect(bed.fake.things().length).toBe((await bed.state()).resources.size);
  });

  test('a state that cannot be written ends the apply, and nothing that was made is forgotten', async () => {
    await using bed = await infraBed();
    const commit = bed.store.commit.bind(bed.store);
    let commits = 0;
    Object.assign(bed.store, {
      commit: (write: Parameters<typeof commit>[0]) =>
        ++commits === 2 ? Promise.reject(new ErrandError('disk/full', 'no room')) : commit(write),
    });
    const actions = Array.from({ length: 300 }, (_, at) => action('create', `r${at}`, {}));
    await expect(bed.apply(actions)).rejects.toMatchObject({ code: 'disk/full' });
    Object.assign(bed.store, { commit });
    await bed.apply([]);
    const recorded = [...(await bed.state()).resources.keys()].toSorted();
    expect(recorded).toEqual(
      bed.fake
        .things()
        .map((thing) => thing.name)
        .toSorted(),
    );
    expect(recorded.length).toBeGreaterThan(0);
  });
});

describe('services', () => {
  test('the finalizer is called once, also for an empty plan, and what it says is told', async () => {
    await using bed = await infraBed();
    bed.fake.told.failures = [{ resource: 'dns', action: 'flush', error: 'no' }];
    expect((await bed.apply([])).failures).toEqual([{ resource: 'dns', action: 'flush', error: 'no' }]);
    expect(bed.fake.told.finalized).toEqual(['plan-1']);
  });

  test('what belongs to somebody else is left alone unless it is taken over', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', {})], { owner: 'red' });
    expect(bed.fake.thing('a')?.owner).toBe('red');
    const refused = await bed.apply([action('update', 'a', { tag: 'x' })], { owner: 'blue' });
    expect(refused.outcomes).toMatchObject([{ status: 'failed', error: { code: 'provider/refused' } }]);
    expect(bed.fake.thing('a')?.config).toEqual({});
    await bed.apply([action('update', 'a', { tag: 'x' })], { owner: 'blue', forceOwner: true });
    expect(bed.fake.thing('a')).toMatchObject({ owner: 'blue', config: { tag: 'x' } });
    expect(await bed.store.journal('default')).toEqual([]);
  });
});
