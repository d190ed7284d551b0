import { expect, test } from 'vitest';
import { cloudOf, planOf, recordOf, rejection, stackOf, stateOf, summary } from '../../../test/plan-bed.ts';

const stack = stackOf({ net: {}, db: { dependsOn: ['net'] }, app: { dependsOn: ['db'] }, site: {} });

test('a target brings what it depends on, and nothing else', async () => {
  const plan = await planOf(stack, stateOf(), cloudOf(), { target: ['db'] });
  expect(summary(plan)).toEqual(['create net', 'create db']);
  expect(plan.excluded).toEqual(['app', 'site']);
});

test('what is excluded takes with it what depends on it', async () => {
  const plan = await planOf(stack, stateOf(), cloudOf(), { exclude: ['db'] });
  expect(summary(plan).toSorted()).toEqual(['create net', 'create site']);
  expect(plan.excluded).toEqual(['db', 'app']);
});

const old = stateOf([
  recordOf('net'),
  recordOf('db', { dependencies: ['net'] }),
  recordOf('app', { dependencies: ['db'] }),
  recordOf('x'),
]);
const things = () => cloudOf({ 'net-id': {}, 'db-id': {}, 'app-id': {}, 'x-id': {} });

test('a target that is to go brings what depends on it', async () => {
  const plan = await planOf(stack, old, things(), { purpose: 'destroy', target: ['db'] });
  expect(summary(plan)).toEqual(['delete app', 'delete db']);
  expect(plan.excluded).toEqual(['net', 'x']);
  expect(summary(await planOf(stackOf({}), old, things(), { target: ['x'] }))).toEqual(['delete x']);
});

test('what something excluded stands on is not deleted under it', async () => {
  const plan = await planOf(stackOf({}), old, things(), { exclude: ['db'] });
  expect(summary(plan).toSorted()).toEqual(['delete app', 'delete x']);
});

test('references to what is left out see its record', async () => {
  const referring = stackOf({ net: { config: { n: 2 } }, app: { config: { net: '${net.id}', n: '${net.n}' } } });
  const recorded = stateOf([recordOf('net', { config: { n: 1 } })]);
  const cloud = cloudOf({ 'net-id': { n: 1 } });
  const plan = await planOf(referring, recorded, cloud, { exclude: ['app'] });
  expect(summary(plan)).toEqual(['update net']);
  expect(cloud.calls).toEqual(['read net']);
});

test('an unknown target is refused', async () => {
  const error = await rejection(planOf(stack, stateOf(), cloudOf(), { target: ['apps'] }));
  expect(error).toMatchObject({ code: 'usage/invalid', next: "did you mean 'app'?" });
});
