import { isErrandError } from '@errand/contract';
import { expect, test } from 'vitest';
import { cloudOf, planOf, recordOf, stackOf, stateOf } from '../../../test/plan-bed.ts';
import { blockersOf, requireAllowed } from './gate.ts';

const cloud = () => cloudOf({ 'prod-db-id': { fixed: 1 } });
const state = (isProtected: boolean) => stateOf([recordOf('prod-db', { config: { fixed: 1 }, protected: isProtected })]);

test.each([
  ['replaced', stackOf({ 'prod-db': { config: { fixed: 2 }, protected: true } }), false, 'replace'],
  [
    'replaced under prevent_destroy',
    stackOf({ 'prod-db': { config: { fixed: 2 }, lifecycle: { preventDestroy: true } } }),
    false,
    'replace',
  ],
  ['taken out of the file', stackOf({}), true, 'delete'],
  ['replaced while the word is taken out', stackOf({ 'prod-db': { config: { fixed: 2 } } }), true, 'replace'],
])('what is protected is not %s unless it is allowed by name', async (_, stack, recorded, kind) => {
  const plan = await planOf(stack, state(recorded), cloud());
  expect(blockersOf(plan)).toEqual([{ resource: 'prod-db', kind }]);
  const error = catching(() => requireAllowed(plan));
  expect(isErrandError(error, 'infra/protected') && error.message).toContain(`prod-db (${kind})`);
  expect(isErrandError(error) && error.next).toContain('--allow prod-db');
  expect(catching(() => requireAllowed(plan, ['some-other-resource']))).toBeDefined();
  expect(catching(() => requireAllowed(plan, ['prod-db']))).toBeUndefined();
});

test('a destroy is gated, an update and the end of an old self are not', async () => {
  const destroy = await planOf(stackOf({ 'prod-db': {} }), state(true), cloud(), { purpose: 'destroy' });
  expect(blockersOf(destroy)).toHaveLength(1);
  const update = await planOf(stackOf({ 'prod-db': { config: { fixed: 1, n: 1 }, protected: true } }), state(true), cloud());
  expect(update.actions.map((action) => action.kind)).toEqual(['update']);
  expect(blockersOf(update)).toEqual([]);
  const left = stateOf([
    recordOf('prod-db', { config: { fixed: 1 }, protected: true, deposed: [{ key: 'k1', providerId: 'x', outputs: {} }] }),
  ]);
  const sweep = await planOf(stackOf({ 'prod-db': { config: { fixed: 1 }, protected: true } }), left, cloud());
  expect(sweep.actions.map((action) => action.kind)).toEqual(['delete']);
  expect(blockersOf(sweep)).toEqual([]);
});

function catching(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
