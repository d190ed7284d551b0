import { expect, test } from 'vitest';
import {
  afterOf,
  carryOut,
  cloudOf,
  planOf,
  recordOf,
  stackOf,
  stateOf,
  summary,
  vault,
  rejection,
} from '../../../test/plan-bed.ts';

test('a first plan creates everything, dependencies first, with what is unknown marked', async () => {
  const stack = stackOf(
    { app: { config: { ip: '${db.own_ip}', n: 1 } }, db: { config: { engine: 'pg' } } },
    { where: 'at ${db.own_ip}', fixed: 'x' },
  );
  const plan = await planOf(stack, stateOf(), cloudOf());
  expect(summary(plan)).toEqual(['create db', 'create app']);
  expect(afterOf(plan, 'create app')).toEqual(['create db']);
  expect(plan.actions[1]?.desired).toMatchObject({ config: { ip: '${db.own_ip}', n: 1 }, unknown: ['ip'], sensitive: [] });
  expect(plan.actions.every((action) => action.because.length > 0)).toBe(true);
  expect(plan.outputs).toEqual({
    where: { value: 'at ${db.own_ip}', unknown: true, sensitive: false },
    fixed: { value: 'x', unknown: false, sensitive: false },
  });
});

test('what is as wanted has no action', async () => {
  const stack = stackOf({ a: { config: { n: 1 } }, b: { config: { of: '${a.n}', id: '${a.id}' } } }, { n: '${a.n}' });
  const state = stateOf([
    recordOf('a', { config: { n: 1 } }),
    recordOf('b', { config: { of: 1, id: 'a-id' }, dependencies: ['a'] }),
  ]);
  const cloud = cloudOf({ 'a-id': { n: 1 }, 'b-id': { of: 1, id: 'a-id' } });
  const plan = await planOf(stack, state, cloud);
  expect(plan).toMatchObject({
    actions: [],
    refreshed: [],
    drift: [],
    unchanged: 2,
    outputs: { n: { value: 1, unknown: false } },
  });
});

test('a change that the driver marks is a replacement, whatever else it says', async () => {
  const plan = await planOf(
    stackOf({ vpc: { config: { fixed_region: 'nyc3' } } }),
    stateOf([recordOf('vpc', { config: { fixed_region: 'nyc1' } })]),
    cloudOf({ 'vpc-id': { fixed_region: 'nyc1' } }),
  );
  expect(plan.actions).toHaveLength(1);
  expect(plan.actions[0]).toMatchObject({
    kind: 'replace',
    resource: 'vpc',
    because: ['fixed_region cannot be changed in place'],
    steps: [
      { id: 'delete vpc', after: [] },
      { id: 'create vpc', after: ['delete vpc'] },
    ],
    changes: [{ path: 'fixed_region', old: 'nyc1', new: 'nyc3', forceNew: true, sensitive: false, unknown: false }],
  });
});

test('references to what is replaced are unknown, and the dependents are updated', async () => {
  const stack = stackOf({
    net: { config: { fixed: 2 } },
    app: { config: { net: '${net.id}' } },
    far: { config: { ip: '${app.own_ip}' } },
  });
  const state = stateOf([
    recordOf('net', { config: { fixed: 1 } }),
    recordOf('app', { config: { net: 'net-id' }, dependencies: ['net'], outputs: { net: 'net-id', own_ip: 'ip-of-app-id' } }),
    recordOf('far', { config: { ip: 'ip-of-app-id' }, dependencies: ['app'] }),
  ]);
  const cloud = cloudOf({
    'net-id': { fixed: 1 },
    'app-id': { net: 'net-id', own_ip: 'ip-of-app-id' },
    'far-id': { ip: 'ip-of-app-id' },
  });
  const plan = await planOf(stack, state, cloud);
  expect(summary(plan)).toEqual(['replace net', 'update app']);
  expect(plan.actions[1]).toMatchObject({
    because: ['net is known after apply'],
    changes: [{ path: 'net', old: 'net-id', new: '${net.id}', unknown: true }],
    desired: { config: { net: '${net.id}' }, unknown: ['net'] },
  });
  expect(afterOf(plan, 'update app')).toEqual(['create net']);
  expect(plan.unchanged).toBe(1);

  const after = await carryOut(plan, state, cloud);
  expect(after.resources.get('app')?.config).toEqual({ net: after.resources.get('net')?.providerId });
  expect((await planOf(stack, after, cloud)).actions).toEqual([]);
});

test('a dependent that the driver sees no change in is updated all the same while its value is unknown', async () => {
  const stack = stackOf({ net: { config: { fixed: 2 } }, app: { config: { own_net: '${net.id}' } } });
  const state = stateOf([
    recordOf('net', { config: { fixed: 1 } }),
    recordOf('app', { config: { own_net: 'net-id' }, outputs: {} }),
  ]);
  const blind = { diff: () => Promise.resolve({ needsUpdate: false, needsReplace: true, changes: [] }) };
  const plan = await planOf(stack, state, cloudOf({ 'net-id': { fixed: 1 }, 'app-id': {} }, blind));
  expect(plan.actions.map((action) => action.kind)).toEqual(['replace', 'replace']);
  const blinder = cloudOf({ 'net-id': { fixed: 1 }, 'app-id': {} });
  const drivers = blinder.infra.drivers as Map<string, object>;
  drivers.set('other', {
    ...drivers.get('thing'),
    diff: () => Promise.resolve({ needsUpdate: false, needsReplace: false, changes: [] }),
  });
  const typed = stackOf({ net: { config: { fixed: 2 } }, app: { type: 'other', config: { own_net: '${net.id}' } } });
  const known = stateOf([...state.resources.values()].map((one) => (one.name === 'app' ? { ...one, type: 'other' } : one)));
  const second = await planOf(typed, known, blinder);
  expect(summary(second)).toEqual(['replace net', 'update app']);
  expect(second.actions[1]?.changes).toEqual([
    { path: 'own_net', old: 'net-id', new: '${net.id}', forceNew: false, sensitive: false, unknown: true },
  ]);
});

test('a refresh sees what changed and what is gone', async () => {
  const stack = stackOf({ vm: { config: { n: 1 } }, lost: {} });
  const state = stateOf([
    recordOf('vm', { config: { n: 1 }, outputs: { n: 1, own_ip: '1.2.3.4' } }),
    recordOf('lost'),
    recordOf('unwanted'),
  ]);
  const cloud = cloudOf({ 'vm-id': { n: 5, own_ip: '1.2.3.4', own_endpoint: 'e' } });
  const plan = await planOf(stack, state, cloud);
  expect(plan.refreshed).toMatchObject([
    { name: 'vm', outputs: { n: 5, own_ip: '1.2.3.4', own_endpoint: 'e' }, driftCheckedAt: 1000 },
  ]);
  expect(plan.drift.map((one) => [one.resource, one.class, one.changes.map((change) => change.path)])).toEqual([
    ['vm', 'config', ['n', 'own_endpoint']],
    ['lost', 'ghost', []],
    ['unwanted', 'ghost', []],
  ]);
  expect(summary(plan).toSorted()).toEqual(['create lost', 'forget unwanted', 'update vm']);
  expect(plan.actions.find((action) => action.resource === 'lost')?.because[0]).toContain('gone');
  const blind = cloudOf();
  const unasked = await planOf(stack, state, blind, { refresh: false });
  expect(blind.calls).toEqual([]);
  expect(summary(unasked)).toEqual(['delete unwanted']);
});

test('sensitive values are in clear for the driver and nowhere in the plan', async () => {
  const seen: unknown[] = [];
  const cloud = cloudOf(
    { 'db-id': { own_password: 'hunter2' }, 'app-id': { dsn: 'pg://old-hunter2' } },
    { sensitiveKeys: ['own_password'] },
  );
  const real = cloud.infra.drivers.get('thing');
  const drivers = cloud.infra.drivers as Map<string, object>;
  drivers.set('thing', {
    ...real,
    diff: (...args: Parameters<NonNullable<typeof real>['diff']>) => {
      seen.push(args[0].config, args[1].outputs);
      return real?.diff(...args);
    },
  });
  const stack = stackOf(
    { db: {}, app: { config: { dsn: 'pg://${db.own_password}', key: 'secret://file/key' } } },
    { dsn: '${db.own_password}' },
  );
  const state = stateOf([
    recordOf('db', { outputs: { own_password: vault.seal('hunter2') as never }, sensitive: ['own_password'] }),
    recordOf('app', { config: { dsn: vault.seal('old-hunter2') as never }, dependencies: ['db'] }),
  ]);
  const plan = await planOf(stack, state, cloud);
  expect(seen).toContainEqual({ dsn: 'pg://hunter2', key: 'secret://file/key' });
  expect(JSON.stringify(plan)).not.toContain('hunter2');
  expect(plan.actions[0]).toMatchObject({
    kind: 'update',
    desired: { config: { dsn: 'pg://${db.own_password}', key: 'secret://file/key' }, sensitive: ['dsn', 'key'] },
  });
  expect(plan.actions[0]?.changes).toContainEqual({ path: 'dsn', forceNew: false, sensitive: true, unknown: false });
  expect(plan.outputs['dsn']).toEqual({ value: '${db.own_password}', unknown: false, sensitive: true });
});

test('a sensitive output that the provider shows only once is kept', async () => {
  const state = stateOf([
    recordOf('db', { outputs: { own_password: vault.seal('hunter2') as never, own_a: 1 }, sensitive: ['own_password'] }),
  ]);
  const plan = await planOf(stackOf({ db: {} }), state, cloudOf({ 'db-id': { own_a: 2 } }));
  expect(plan.refreshed[0]?.outputs).toEqual({ own_password: vault.seal('hunter2'), own_a: 2 });
  expect(plan.drift[0]?.changes.map((change) => change.path)).toEqual(['own_a']);
});

test('ignored changes are no reason, and are not carried along', async () => {
  const lifecycle = { ignoreChanges: ['tags', 'fixed_image'] };
  const state = stateOf([recordOf('a', { config: { n: 1, tags: { a: 1 }, fixed_image: 'one' } })]);
  const cloud = () => cloudOf({ 'a-id': { n: 1, tags: { b: 2 }, fixed_image: 'one' } });
  const same = await planOf(stackOf({ a: { config: { n: 1, tags: { a: 9 }, fixed_image: 'two' }, lifecycle } }), state, cloud());
  expect(same.actions).toEqual([]);
  const other = await planOf(stackOf({ a: { config: { n: 2, tags: { a: 9 }, fixed_image: 'two' }, lifecycle } }), state, cloud());
  expect(other.actions[0]).toMatchObject({
    kind: 'update',
    desired: { config: { n: 2, tags: { a: 1 }, fixed_image: 'one' } },
    changes: [{ path: 'n' }],
  });
});

test('what is there already is taken over where that is wished', async () => {
  const cloud = cloudOf({ dns: { n: 1 }, zone: { n: 1 } });
  const plan = await planOf(
    stackOf({ dns: { adopt: true, config: { n: 1 } }, zone: { adopt: true, config: { n: 2 } }, new: { adopt: true } }),
    stateOf(),
    cloud,
  );
  expect(summary(plan).toSorted()).toEqual(['create new', 'read dns', 'update zone']);
  const zone = plan.actions.find((action) => action.resource === 'zone');
  expect(zone?.steps).toMatchObject([
    { id: 'read zone', after: [] },
    { id: 'update zone', after: ['read zone'] },
  ]);
  expect(zone?.current).toMatchObject({ source: 'adoption', providerId: 'zone' });
  const fixed = planOf(stackOf({ dns: { adopt: true, config: { fixed: 1 } } }), stateOf(), cloudOf({ dns: { fixed: 2 } }));
  expect((await rejection(fixed)).diagnostics[0]?.message).toContain('cannot be taken over');
});

test('what the file says of a resource beside its config reaches the record without a provider call', async () => {
  const plan = await planOf(
    stackOf({ a: { protected: true, dependsOn: ['b'] }, b: {} }),
    stateOf([recordOf('a', { dependencies: ['c'] }), recordOf('b'), recordOf('c')]),
    cloudOf({ 'a-id': {}, 'b-id': {}, 'c-id': {} }),
  );
  expect(plan.refreshed).toMatchObject([{ name: 'a', protected: true, dependencies: ['b'] }]);
  expect(summary(plan)).toEqual(['delete c']);
});

test('sizes become config before anything is compared', async () => {
  const asked: string[] = [];
  const sizing = (type: string, size: string) => {
    asked.push(`${type} ${size}`);
    return Promise.resolve(type === 'thing' ? { instanceType: 'big', specs: { ram: 4 } } : undefined);
  };
  const cloud = cloudOf({}, {}, { sizing });
  const stack = stackOf({
    a: { size: 's', config: { ram: 1 } },
    b: { size: 's' },
    c: { type: 'other', size: 'm', hints: { memory: '3Gi' } },
  });
  const plan = await planOf(stack, stateOf(), cloud);
  expect(plan.actions.map((action) => action.desired?.config)).toEqual([
    { instance_type: 'big', ram: 1 },
    { instance_type: 'big', ram: 4 },
    { cpu: '2', memory: '3Gi' },
  ]);
  expect(asked).toEqual(['thing s', 'other m']);
});

test('drivers that can are asked in batches', async () => {
  const sizes: number[] = [];
  const cloud = cloudOf(
    {},
    {
      readMany: (refs) => {
        sizes.push(refs.length);
        return Promise.resolve(
          refs.map((ref) => ({ ...ref, providerId: ref.providerId ?? '', outputs: {}, sensitive: [], status: '' })),
        );
      },
      diffMany: (pairs) => {
        sizes.push(-pairs.length);
        return Promise.resolve(pairs.map(() => ({ needsUpdate: false, needsReplace: false, changes: [] })));
      },
    },
  );
  const names = Array.from({ length: 450 }, (_, at) => `r${at}`);
  const stack = stackOf(Object.fromEntries(names.map((name) => [name, {}])));
  const plan = await planOf(stack, stateOf(names.map((name) => recordOf(name))), cloud);
  expect(plan.unchanged).toBe(450);
  expect(sizes).toEqual([200, 200, 50, -200, -200, -50]);
  expect(cloud.calls).toEqual([]);
});

test('an output that its own update is about to change is unknown to those who refer to it', async () => {
  const stack = stackOf({ a: { config: { n: 2 } }, b: { config: { n: '${a.n}', ip: '${a.own_ip}' } } });
  const state = stateOf([
    recordOf('a', { config: { n: 1 }, outputs: { n: 1, own_ip: 'ip-of-a-id' } }),
    recordOf('b', { config: { n: 1, ip: 'ip-of-a-id' }, dependencies: ['a'] }),
  ]);
  const cloud = cloudOf({ 'a-id': { n: 1, own_ip: 'ip-of-a-id' }, 'b-id': { n: 1, ip: 'ip-of-a-id' } });
  const plan = await planOf(stack, state, cloud);
  expect(summary(plan)).toEqual(['update a', 'update b']);
  expect(plan.actions[1]?.desired).toMatchObject({ unknown: ['n'], config: { n: '${a.n}', ip: '${a.own_ip}' } });
  const after = await carryOut(plan, state, cloud);
  expect(after.resources.get('b')?.config).toEqual({ n: 2, ip: 'ip-of-a-id' });
});

test('every kind of value reaches the driver as it was recorded', async () => {
  const outputs = {
    text: 'a',
    whole: 42,
    part: 3.14,
    yes: true,
    no: false,
    none: null,
    list: ['a', 1],
    map: { in: { deep: [] } },
  };
  const seen: unknown[] = [];
  const cloud = cloudOf(
    { 'vpc-id': outputs },
    {
      diff: (_, current) => {
        seen.push(current.outputs);
        const changes = Object.entries(current.outputs).map(([path, old]) => ({ path, old, forceNew: false }));
        return Promise.resolve({ needsUpdate: true, needsReplace: false, changes });
      },
    },
  );
  for (const refresh of [true, false]) {
    const plan = await planOf(stackOf({ vpc: {} }), stateOf([recordOf('vpc', { outputs })]), cloud, { refresh });
    expect(plan.actions[0]?.changes.map((change) => [change.path, change.old])).toEqual(Object.entries(outputs));
  }
  expect(seen).toEqual([outputs, outputs]);
});
