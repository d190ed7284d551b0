import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloudOf, planOf, recordOf, rejection, stackOf, stateOf } from '../../../test/plan-bed.ts';
import type { Plan } from '../../model/infra/plan.ts';
import { readPlan, writePlan } from './file.ts';
import { requireFresh, staleness } from './stale.ts';

let directory: string;
let plan: Plan;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'errand-plan-'));
  const stack = stackOf({ net: { config: { fixed: 2 } }, app: { size: 's', config: { net: '${net.id}' } } }, { o: '${net.id}' });
  const state = stateOf([recordOf('net', { config: { fixed: 1 } }), recordOf('gone'), recordOf('old')], 4);
  plan = await planOf(stack, state, cloudOf({ 'net-id': { fixed: 1, n: 2 }, 'old-id': {} }));
});
afterAll(() => rm(directory, { recursive: true }));

test('what is written is what is read, unknowns included, and only the owner may', async () => {
  const path = join(directory, 'a.plan');
  await writePlan(path, plan);
  await writePlan(path, plan);
  expect(await readPlan(path)).toEqual(plan);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['a.plan']);
});

test('one changed value is noticed', async () => {
  const path = join(directory, 'b.plan');
  await writePlan(path, plan);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(plan.id, 'plan-other'));
  expect((await rejection(readPlan(path))).message).toContain('it was edited');
  await rm(path);
});

test('a plan that cannot be written leaves nothing behind', async () => {
  const error = await rejection(writePlan(join(directory, 'no', 'such', 'place'), plan));
  expect(error.message).toContain('ENOENT');
});

test.each<[string, (text: string, data: Plan) => unknown, string]>([
  ['cut off', (text) => text.slice(0, 100), 'it is not JSON, or was cut off'],
  ['something else', () => '[]', 'it: '],
  ['of a later version', (_, data) => ({ ...data, format: 2 }), 'its format is 2'],
  ['without a serial', (_, data) => ({ ...data, serial: undefined }), 'serial: '],
  ['with a step that waits for nobody', (_, data) => waiting(data, 'create nobody'), 'which is not there'],
  ['with steps in a circle', (_, data) => waiting(data, data.actions[0]?.steps[0]?.id ?? ''), 'wait for each other'],
  ['without a digest', (_, data) => data, 'it was edited'],
  ['edited by hand', (_, data) => ({ ...data, digest: '0'.repeat(64) }), 'it was edited'],
  ['with an action twice', (_, data) => ({ ...data, actions: [...data.actions, ...data.actions] }), 'two actions for'],
])('a file that is %s is refused with the reason', async (name, change, reason) => {
  const path = join(directory, `${name}.plan`);
  const changed = change(JSON.stringify(plan), plan);
  await writeFile(path, typeof changed === 'string' ? changed : JSON.stringify(changed));
  const error = await rejection(readPlan(path));
  expect(error.code).toBe('infra/invalid');
  expect(error.message).toContain(path);
  expect(error.message).toContain(reason);
  await rm(path);
});

function waiting(data: Plan, forStep: string): Plan {
  const [action, ...rest] = data.actions;
  if (!action) throw new Error('no action');
  const [step, ...others] = action.steps;
  if (!step) throw new Error('no step');
  return { ...data, actions: [{ ...action, steps: [{ ...step, after: [forStep] }, ...others] }, ...rest] };
}

test('a missing file is named', async () => {
  expect((await rejection(readPlan(join(directory, 'none')))).message).toContain('there is no such file');
});

test('all that moved since is said, with names and fingerprints', async () => {
  const then = { ...plan, inputs: { 'env:DATABASE_URL': 'abc12345', 'env:SAME': 'x' } };
  expect(staleness(then, then)).toEqual([]);
  const now = {
    ...then,
    serial: 5,
    inputs: { 'env:DATABASE_URL': 'def67890', 'env:SAME': 'x' },
    providers: [{ name: 'p', use: 'memory', version: '2' }],
    desiredHash: 'other',
  };
  expect(staleness(then, now)).toEqual([
    'the state moved on: its serial is 5, was 4',
    'the input env:DATABASE_URL changed: its fingerprint is def67890, was abc12345',
    "the provider 'p' is memory 2, was memory 1",
    'the configuration of the resources changed',
  ]);
  const error = await rejection(Promise.resolve().then(() => requireFresh(then, now)));
  expect(error.code).toBe('infra/stale-plan');
  expect(error.message).toMatch(/DATABASE_URL.*def67890.*abc12345/);
  expect(staleness(then, { ...then, lineage: 'x', serial: 9 })).toEqual(['the state is another one: its lineage is x, was line']);
  expect(staleness(then, { ...then, providers: [] })).toEqual(["the provider 'p' is gone"]);
});
