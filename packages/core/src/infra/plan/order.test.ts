import { expect, test } from 'vitest';
import { afterOf, carryOut, cloudOf, planOf, recordOf, stackOf, stateOf, summary, walk } from '../../../test/plan-bed.ts';

test('what is no longer wanted is deleted, dependents first, also of a provider that has nothing left', async () => {
  const stack = stackOf({ other: { provider: 'q' } });
  const state = stateOf([
    recordOf('net'),
    recordOf('db', { dependencies: ['net'] }),
    recordOf('app', { dependencies: ['db', 'net'] }),
    recordOf('other', { provider: 'q' }),
  ]);
  const plan = await planOf(stack, state, cloudOf({ 'net-id': {}, 'db-id': {}, 'app-id': {}, 'other-id': {} }));
  expect(summary(plan)).toEqual(['delete app', 'delete db', 'delete net']);
  expect(afterOf(plan, 'delete net')).toEqual(['delete app', 'delete db']);
  expect(afterOf(plan, 'delete db')).toEqual(['delete app']);
});

test('something is deleted only after its former dependent let go of it', async () => {
  const stack = stackOf({ app: { config: { to: 'nobody' } } });
  const state = stateOf([recordOf('db'), recordOf('app', { config: { to: 'db-id' }, dependencies: ['db'] })]);
  const plan = await planOf(stack, state, cloudOf({ 'db-id': {}, 'app-id': { to: 'db-id' } }));
  expect(summary(plan)).toEqual(['update app', 'delete db']);
  expect(afterOf(plan, 'delete db')).toEqual(['update app']);
});

test('deletes of dependents come before the delete of a replacement, creations after its creation', async () => {
  const stack = stackOf({ net: { config: { fixed: 2 } }, fresh: { dependsOn: ['net'] } });
  const state = stateOf([recordOf('net', { config: { fixed: 1 } }), recordOf('old', { dependencies: ['net'] })]);
  const plan = await planOf(stack, state, cloudOf({ 'net-id': { fixed: 1 }, 'old-id': {} }));
  expect(walk(plan).map(([, step]) => step.id)).toEqual(['delete old', 'delete net', 'create net', 'create fresh']);
});

test('create before destroy: the new one, then the dependents, then the old one; and it spreads to what it needs', async () => {
  const stack = stackOf({
    net: { config: { fixed: 2 } },
    app: { config: { fixed_net: '${net.id}' }, lifecycle: { createBeforeDestroy: true } },
    dns: { config: { to: '${app.id}' } },
  });
  const state = stateOf(
    [
      recordOf('net', { config: { fixed: 1 } }),
      recordOf('app', { config: { fixed_net: 'net-id' }, dependencies: ['net'] }),
      recordOf('dns', { config: { to: 'app-id' }, dependencies: ['app'] }),
    ],
    7,
  );
  const cloud = cloudOf({ 'net-id': { fixed: 1 }, 'app-id': { fixed_net: 'net-id' }, 'dns-id': { to: 'app-id' } });
  const plan = await planOf(stack, state, cloud);
  expect(walk(plan).map(([, step]) => step.id)).toEqual([
    'create net',
    'create app',
    'update dns',
    'delete app (deposed k7)',
    'delete net (deposed k7)',
  ]);
  expect(plan.actions.map((action) => action.desired?.createBeforeDestroy)).toEqual([true, true, false]);
  const after = await carryOut(plan, state, cloud);
  expect([...cloud.things.keys()].toSorted()).toEqual(['app-2', 'dns-id', 'net-1']);
  expect((await planOf(stack, after, cloud)).actions).toEqual([]);
});

test('a driver that replaces by itself has one step, unless the new one is to come first', async () => {
  const state = stateOf([recordOf('a', { config: { fixed: 1 } })]);
  const cloud = () => cloudOf({ 'a-id': { fixed: 1 } }, { replace: () => Promise.reject(new Error('not in a plan')) });
  const plan = await planOf(stackOf({ a: { config: { fixed: 2 } } }), state, cloud());
  expect(plan.actions[0]?.steps.map((step) => step.do)).toEqual(['replace']);
  const first = stackOf({ a: { config: { fixed: 2 }, lifecycle: { createBeforeDestroy: true } } });
  expect((await planOf(first, state, cloud())).actions[0]?.steps.map((step) => step.do)).toEqual(['create', 'delete']);
});

test('another type or provider is a replacement that deletes first', async () => {
  const plan = await planOf(
    stackOf({ a: { type: 'other', lifecycle: { createBeforeDestroy: true } } }),
    stateOf([recordOf('a')]),
    cloudOf({ 'a-id': {} }),
  );
  expect(plan.actions[0]).toMatchObject({ kind: 'replace', type: 'other', current: { type: 'thing' } });
  expect(plan.actions[0]?.steps.map((step) => step.id)).toEqual(['delete a', 'create a']);
});

test('what was left half-made is replaced, and what replacements left standing is deleted', async () => {
  const state = stateOf([
    recordOf('half', { tainted: true }),
    recordOf('b', { deposed: [{ key: 'k3', providerId: 'b-old', outputs: {} }] }),
    recordOf('gone', { deposed: [{ key: 'k4', providerId: 'gone-old', outputs: {} }] }),
  ]);
  const cloud = cloudOf({ 'half-id': {}, 'b-id': {}, 'b-old': {}, 'gone-id': {}, 'gone-old': {} });
  const stack = stackOf({ half: {}, b: {} });
  const plan = await planOf(stack, state, cloud);
  expect(plan.actions.flatMap((action) => action.steps.map((step) => step.id)).toSorted()).toEqual([
    'create half',
    'delete b (deposed k3)',
    'delete gone',
    'delete gone (deposed k4)',
    'delete half',
  ]);
  const after = await carryOut(plan, state, cloud);
  expect([...cloud.things.keys()].toSorted()).toEqual(['b-id', 'half-1']);
  expect((await planOf(stack, after, cloud)).actions).toEqual([]);
});

test('destroy deletes everything in order and plans no outputs', async () => {
  const stack = stackOf({ a: {}, b: { dependsOn: ['a'] } }, { x: '${a.id}' });
  const state = stateOf([recordOf('a'), recordOf('b', { dependencies: ['a'] })]);
  const plan = await planOf(stack, state, cloudOf({ 'a-id': {} }), { purpose: 'destroy' });
  expect(plan).toMatchObject({ purpose: 'destroy', outputs: {}, unchanged: 0 });
  expect(summary(plan)).toEqual(expect.arrayContaining(['forget b', 'delete a']));
});

test('an order reaches through what is left as it is', async () => {
  const stack = stackOf({ net: { config: { n: 2 } }, mid: { dependsOn: ['net'] }, app: { dependsOn: ['mid'] } });
  const state = stateOf([recordOf('net', { config: { n: 1 } }), recordOf('mid', { dependencies: ['net'] })]);
  const plan = await planOf(stack, state, cloudOf({ 'net-id': { n: 1 }, 'mid-id': {} }));
  expect(summary(plan)).toEqual(['update net', 'create app']);
  expect(afterOf(plan, 'create app')).toEqual(['update net']);

  const leaving = stateOf([
    recordOf('net'),
    recordOf('mid', { dependencies: ['net'] }),
    recordOf('app', { dependencies: ['mid'] }),
  ]);
  const gone = await planOf(stackOf({ mid: {} }), leaving, cloudOf({ 'net-id': {}, 'mid-id': {}, 'app-id': {} }));
  expect(afterOf(gone, 'delete net')).toEqual(['delete app']);
});

test('orders that contradict each other give way, and the plan can still be carried out', async () => {
  // y and w change places: each must let go of what the other needs anew.
  const stack = stackOf({
    x: { config: { fixed: 2 } },
    u: { config: { fixed: 2 } },
    y: { config: { to: '${u.id}' } },
    w: { config: { to: '${x.id}' } },
  });
  const state = stateOf([
    recordOf('x', { config: { fixed: 1 } }),
    recordOf('u', { config: { fixed: 1 } }),
    recordOf('y', { config: { to: 'x-id' }, dependencies: ['x'] }),
    recordOf('w', { config: { to: 'u-id' }, dependencies: ['u'] }),
  ]);
  const cloud = cloudOf({ 'x-id': { fixed: 1 }, 'u-id': { fixed: 1 }, 'y-id': { to: 'x-id' }, 'w-id': { to: 'u-id' } });
  const plan = await planOf(stack, state, cloud);
  expect(walk(plan)).toHaveLength(6);
  const after = await carryOut(plan, state, cloud);
  expect((await planOf(stack, after, cloud)).actions).toEqual([]);
});

test('orders go from one provider to another', async () => {
  const stack = stackOf({ a: { provider: 'q' }, b: { provider: 'p', config: { of: '${a.id}' } } });
  const plan = await planOf(stack, stateOf(), cloudOf());
  expect(afterOf(plan, 'create b')).toEqual(['create a']);
  expect(plan.providers.map((one) => one.name)).toEqual(['p', 'q']);
});
