import { expect, test } from 'vitest';
import { cloudOf, planOf, recordOf, stackOf, stateOf, rejection } from '../../../test/plan-bed.ts';

test('every driver that fails is told of', async () => {
  const broken = { read: () => Promise.reject(new Error('no route')) };
  const error = await rejection(planOf(stackOf({ a: {}, b: {} }), stateOf([recordOf('a'), recordOf('b')]), cloudOf({}, broken)));
  expect(error.code).toBe('infra/failed');
  expect(error.message).toContain("reading 'a' failed: no route (and 1 more)");
  expect(error.diagnostics).toHaveLength(2);
});

test('validators see the plan and are heard', async () => {
  const validator = {
    validate: (plan: { actions: readonly { resource: { name: string; config: { vpc_ref?: unknown } } }[] }) =>
      Promise.resolve(
        plan.actions.map(({ resource }) => ({
          severity: 'error' as const,
          resource: resource.name,
          field: 'vpc_ref',
          message: `there is no ${String(resource.config.vpc_ref)}`,
        })),
      ),
  };
  const plan = await planOf(stackOf({ db: { config: { vpc_ref: 'missing-vpc' } } }), stateOf(), cloudOf({}, {}, { validator }));
  expect(plan.diagnostics).toEqual([
    { severity: 'error', resource: 'db', field: 'vpc_ref', message: 'there is no missing-vpc', provider: 'p' },
  ]);
});

test('mistakes that need the provider to be seen', async () => {
  const cloud = cloudOf({}, { configKeys: ['path', 'content'] }, { canonicalKeys: ['region'] });
  const origin = { file: 'errand.yaml', line: 3, column: 5 };
  const stack = stackOf({
    a: { type: 'thng', origin },
    b: { config: { pathh: 1 }, origins: new Map([['pathh', { ...origin, line: 9 }]]), origin },
    c: { config: { cors: {} } },
  });
  const error = await rejection(planOf(stack, stateOf([recordOf('old', { provider: 'gone' })]), cloud));
  expect(error.diagnostics.map((one) => one.message)[0]).toContain("'gone' is no longer under infra.providers");
  const second = await rejection(planOf(stack, stateOf(), cloud));
  expect(second.code).toBe('infra/invalid');
  expect(second.diagnostics).toMatchObject([
    { message: "a: the provider 'p' has no type 'thng'", hint: "did you mean 'thing'?", line: 3 },
    { message: "b: 'thing' has no key 'pathh'", hint: "did you mean 'path'?", line: 9 },
    { message: "c: the provider 'p' does not support 'cors'" },
  ]);
});

test('a circle is named, and a missing output is not planned around', async () => {
  const circle = stackOf({ a: { dependsOn: ['c'] }, b: { dependsOn: ['a'] }, c: { dependsOn: ['b'] }, d: { dependsOn: ['a'] } });
  expect((await rejection(planOf(circle, stateOf(), cloudOf()))).diagnostics[0]?.message).toContain('a → c → b → a');
  const stack = stackOf({ a: { config: { n: 1 } }, b: { config: { x: '${a.nn}' } } });
  const error = await rejection(planOf(stack, stateOf([recordOf('a', { config: { n: 1 } })]), cloudOf({ 'a-id': { n: 1 } })));
  expect(error.diagnostics[0]).toMatchObject({ message: "b: x: 'a' has no output 'nn'" });
});

test('a successor that cannot stand beside what it replaces is refused, asked for or implied', async () => {
  const origin = { file: 'errand.yaml', line: 4, column: 5 };
  const lifecycle = { createBeforeDestroy: true, ignoreChanges: [], preventDestroy: false };
  const asked = stackOf({ a: { lifecycle, origin } });
  const error = await rejection(planOf(asked, stateOf(), cloudOf({}, { oneName: true })));
  expect(error.diagnostics).toMatchObject([{ message: expect.stringContaining('both would have one name'), ...origin }]);
  const implied = stackOf({ net: {}, app: { type: 'other', lifecycle, dependsOn: ['net'] } });
  const cloud = cloudOf({}, { diff: async () => ({ needsUpdate: false, needsReplace: true, changes: [] }) });
  const drivers = cloud.infra.drivers as Map<string, object>;
  drivers.set('thing', { ...drivers.get('thing'), oneName: true });
  const told = await rejection(planOf(implied, stateOf([recordOf('net')]), cloud, { refresh: false }));
  expect(told.diagnostics).toMatchObject([{ message: expect.stringContaining('which something that depends on it asks for') }]);
});
