import type { Json } from '@errand/contract';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { carryOut, cloudOf, planOf, stackOf, stateOf, walk, type Cloud, type Wanted } from '../../../test/plan-bed.ts';
import type { Plan, Step } from '../../model/infra/plan.ts';
import type { Stack } from '../../model/infra/stack.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const one = fc.record({
  there: fc.boolean(),
  n: fc.integer({ min: 0, max: 2 }),
  fixed: fc.integer({ min: 0, max: 2 }),
  first: fc.boolean(),
  other: fc.boolean(),
  links: fc.array(fc.tuple(fc.nat(6), fc.constantFrom('id', 'n', 'own_ip', 'order', 'fixed')), { maxLength: 3 }),
});
type One = typeof one extends fc.Arbitrary<infer T> ? T : never;
/** What depends on what may turn round between two versions of a stack. */
const version = fc.record({
  order: fc.shuffledSubarray(names, { minLength: 7 }),
  ones: fc.array(one, { minLength: 7, maxLength: 7 }),
});
type Version = { readonly order: string[]; readonly ones: One[] };

function stackFrom({ order, ones }: Version): Stack {
  const wanted: Record<string, Wanted> = {};
  const present: string[] = [];
  for (const [at, name] of order.entries()) {
    const { there, n, fixed, first, other, links } = ones[at] as One;
    if (!there) continue;
    const config: Record<string, Json> = { n, fixed };
    const dependsOn: string[] = [];
    for (const [link, field] of links) {
      const to = present[link];
      if (to === undefined) continue;
      if (field === 'order') dependsOn.push(to);
      else config[field === 'fixed' ? `fixed_${to}` : `${to}_${field}`] = `\${${to}.${field}}`;
    }
    wanted[name] = { config, dependsOn, type: other ? 'other' : 'thing', lifecycle: { createBeforeDestroy: first } };
    present.push(name);
  }
  return stackOf(wanted);
}

/** Whatever is to be made waits for what it depends on, and no step waits for one that is not there. */
function checkOrder(plan: Plan): void {
  const make = new Map<string, string>();
  const all = new Set(plan.actions.flatMap((action) => action.steps.map((step) => step.id)));
  for (const action of plan.actions) {
    expect(action.because.length).toBeGreaterThan(0);
    for (const step of action.steps) {
      if (action.desired && step.do !== 'delete') make.set(action.resource, step.id);
      expect(step.after.filter((id) => !all.has(id))).toEqual([]);
    }
  }
  for (const action of plan.actions) {
    const own = action.steps.find((step) => step.id === make.get(action.resource));
    for (const need of action.desired?.dependsOn ?? []) {
      const before = make.get(need);
      if (before !== undefined) expect(own?.after).toContain(before);
    }
  }
  expect(walk(plan)).toHaveLength(all.size);
}

function meddle(cloud: Cloud, how: readonly (readonly [number, 'lose' | 'change'])[]): void {
  for (const [at, what] of how) {
    const id = [...cloud.things.keys()][at];
    if (id === undefined) continue;
    if (what === 'lose') cloud.things.delete(id);
    else cloud.things.set(id, { ...cloud.things.get(id), n: 77 });
  }
}

test('whatever was there and whatever is wanted, the plan can be carried out in any order it allows, and then nothing is left to do', async () => {
  const meddling = fc.array(fc.tuple(fc.nat(6), fc.constantFrom('lose' as const, 'change' as const)), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(version, version, meddling, fc.infiniteStream(fc.nat(1000)), async (before, after, how, dice) => {
      const choose = (ready: readonly Step[]) => ready[(dice.next().value ?? 0) % ready.length] as Step;
      const cloud = cloudOf();
      let state = stateOf();
      for (const wanted of [stackFrom(before), stackFrom(after)]) {
        const plan = await planOf(wanted, state, cloud);
        checkOrder(plan);
        state = await carryOut(plan, state, cloud, choose);
        expect(summaryOf(await planOf(wanted, state, cloud))).toEqual([]);
        expect(cloud.things.size).toBe(wanted.resources.size);
        meddle(cloud, how);
      }
      const end = await planOf(stackOf({}), state, cloud, { purpose: 'destroy' });
      checkOrder(end);
      state = await carryOut(end, state, cloud, choose);
      expect([state.resources.size, cloud.things.size]).toEqual([0, 0]);
    }),
    { numRuns: Number(process.env['ERRAND_PLAN_RUNS'] ?? 300) },
  );
}, 600_000);

function summaryOf(plan: Plan): readonly unknown[] {
  return plan.actions.map(({ kind, resource, because }) => [kind, resource, because]);
}
