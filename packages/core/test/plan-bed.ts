// For tests of the planner: a stack from a few words, a cloud in memory, and an apply that only follows the plan.
import {
  ErrandError,
  isErrandError,
  type Attributes,
  type Driver,
  type FieldChange,
  type Infra,
  type Json,
} from '@errand/contract';
import type { Action, Plan, Step } from '../src/model/infra/plan.ts';
import type { ResourceRecord, Sealed, State } from '../src/model/infra/record.ts';
import type { DeclaredResource, Stack } from '../src/model/infra/stack.ts';
import { sameJson } from '../src/base/same-json.ts';
import { computePlan } from '../src/infra/plan/compute.ts';
import type { PlanInput } from '../src/infra/plan/types.ts';
import { configHash } from '../src/infra/hash/hash.ts';
import { lookUpOutput } from '../src/infra/references/outputs.ts';
import { referencesIn, resolveConfig } from '../src/infra/references/resolve.ts';
import type { PlanOptions } from '../src/infra/sdk.ts';

export interface Wanted extends Partial<Omit<DeclaredResource, 'lifecycle' | 'name'>> {
  readonly lifecycle?: Partial<DeclaredResource['lifecycle']>;
}

export function stackOf(resources: Record<string, Wanted>, outputs: Record<string, Json> = {}, sensitive: string[] = []): Stack {
  const providers = new Set(['p', ...Object.values(resources).map((one) => one.provider ?? 'p')]);
  return {
    name: 'default',
    providers: new Map([...providers].map((name) => [name, { name, use: 'memory', config: {} }])),
    resources: new Map(Object.entries(resources).map(([name, one]) => [name, resourceOf(name, one)])),
    outputs: new Map(
      Object.entries(outputs).map(([name, value]) => [name, { name, value, sensitive: sensitive.includes(name) }]),
    ),
    inputs: new Map(),
  };
}

function resourceOf(name: string, one: Wanted): DeclaredResource {
  const config = one.config ?? {};
  const needs = [...(one.dependsOn ?? []), ...referencesIn(config).map((reference) => reference.name)];
  return {
    type: 'thing',
    provider: 'p',
    protected: false,
    adopt: false,
    ...one,
    name,
    config,
    dependsOn: [...new Set(needs)],
    lifecycle: { createBeforeDestroy: false, ignoreChanges: [], preventDestroy: false, ...one.lifecycle },
  };
}

export function recordOf(name: string, one: Partial<ResourceRecord> = {}): ResourceRecord {
  const config = one.config ?? {};
  return {
    name,
    type: 'thing',
    provider: 'p',
    use: 'memory',
    providerId: `${name}-id`,
    configHash: configHash(config),
    source: 'apply',
    outputs: config,
    sensitive: [],
    status: '',
    dependencies: [],
    protected: false,
    createBeforeDestroy: false,
    createdAt: 1,
    updatedAt: 1,
    deposed: [],
    tainted: false,
    ...one,
    config,
  };
}

export function stateOf(records: Iterable<ResourceRecord> = [], serial = 1): State {
  const resources = new Map([...records].map((record) => [record.name, record]));
  return { stack: 'default', lineage: 'line', serial, updatedAt: 0, resources, outputs: new Map() };
}

/** Sealing that can be seen through by tests, but not by a search for the plaintext. */
export const vault = {
  seal: (value: Json): Sealed => ({ $sealed: Buffer.from(JSON.stringify(value)).toString('base64'), $fingerprint: 'f' }),
  open: (sealed: Sealed): Json => JSON.parse(Buffer.from(sealed.$sealed, 'base64').toString()) as Json,
};

export interface Cloud {
  readonly things: Map<string, Attributes>;
  readonly infra: Infra;
  readonly calls: string[];
}

/** Keys that start with `fixed` cannot be changed in place. */
export function cloudOf(
  things: Record<string, Attributes> = {},
  over: Partial<Driver> = {},
  infraOver: Partial<Infra> = {},
): Cloud {
  const cloud: Cloud = { things: new Map(Object.entries(things)), calls: [], infra: { drivers: new Map(), ...infraOver } };
  let made = 0;
  const answer = (name: string, type: string, providerId: string) => ({
    name,
    type,
    providerId,
    outputs: cloud.things.get(providerId) ?? {},
    sensitive: [],
    status: '',
  });
  const driver: Driver = {
    read: (ref) => {
      cloud.calls.push(`read ${ref.name}`);
      const id = ref.providerId ?? ref.name;
      return Promise.resolve(cloud.things.has(id) ? answer(ref.name, ref.type, id) : undefined);
    },
    diff: (desired, current) => {
      const keys = new Set([
        ...Object.keys(desired.config),
        ...Object.keys(current.outputs).filter((key) => !key.startsWith('own_')),
      ]);
      const changes = [...keys].flatMap((key): FieldChange[] => {
        const [now, wanted] = [current.outputs[key], desired.config[key]];
        if (sameJson(now, wanted)) return [];
        const values = { ...(now !== undefined && { old: now }), ...(wanted !== undefined && { new: wanted }) };
        return [{ path: key, ...values, forceNew: key.startsWith('fixed') }];
      });
      return Promise.resolve({ needsUpdate: changes.length > 0, needsReplace: false, changes });
    },
    create: (spec) => {
      const id = `${spec.name}-${(made += 1)}`;
      cloud.things.set(id, { ...spec.config, own_ip: `ip-of-${id}` });
      return Promise.resolve(answer(spec.name, spec.type, id));
    },
    update: (ref, spec) => {
      const id = ref.providerId ?? '';
      if (!cloud.things.has(id)) throw new ErrandError('provider/not-found', `no ${id}`);
      cloud.things.set(id, { ...spec.config, own_ip: `ip-of-${id}` });
      return Promise.resolve(answer(spec.name, spec.type, id));
    },
    delete: (ref) => {
      cloud.things.delete(ref.providerId ?? ref.name);
      return Promise.resolve();
    },
    ...over,
  };
  (cloud.infra.drivers as Map<string, Driver>).set('thing', driver).set('other', driver);
  return cloud;
}

export const ask = { signal: new AbortController().signal, log: () => undefined };

export function inputOf(stack: Stack, state: State, cloud: Cloud, options: PlanOptions = {}): PlanInput {
  const infraOf = () => Promise.resolve({ infra: cloud.infra, version: '1' });
  return { stack, state, infraOf, vault, ask, now: 1000, id: 'plan-1', options };
}

export function planOf(stack: Stack, state: State, cloud: Cloud, options: PlanOptions = {}): Promise<Plan> {
  return computePlan(inputOf(stack, state, cloud, options));
}

/** `create a` and so on, in an order that the plan allows. */
export function walk(plan: Plan, choose: (ready: readonly Step[]) => Step = (ready) => ready[0] as Step): [Action, Step][] {
  const left = new Map(plan.actions.flatMap((action) => action.steps.map((step) => [step.id, [action, step] as [Action, Step]])));
  const done = new Set<string>();
  const order: [Action, Step][] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(([, step]) => step.after.every((id) => done.has(id))).map(([, step]) => step);
    if (ready.length === 0) throw new Error(`nothing can go on: ${[...left.keys()].join(', ')}`);
    const next = choose(ready);
    order.push(left.get(next.id) as [Action, Step]);
    left.delete(next.id);
    done.add(next.id);
  }
  return order;
}

/** Carries the plan out, step by step; the state after it. */
export async function carryOut(
  plan: Plan,
  state: State,
  cloud: Cloud,
  choose?: (ready: readonly Step[]) => Step,
): Promise<State> {
  const records = new Map(state.resources);
  for (const record of plan.refreshed) records.set(record.name, record);
  const call = { ...ask, key: 'k', epoch: 1, secret: () => Promise.resolve('s') };
  for (const [action, step] of walk(plan, choose)) {
    const driver = cloud.infra.drivers.get(action.type) as Driver;
    const record = records.get(action.resource) ?? action.current;
    if (step.do === 'delete' && record) {
      const old = record.deposed.find((one) => one.key === step.deposed);
      await driver.delete({ name: record.name, type: record.type, providerId: old?.providerId ?? record.providerId }, call);
      if (old) records.set(record.name, { ...record, deposed: record.deposed.filter((one) => one !== old) });
      else records.delete(record.name);
    } else if (step.do === 'forget') records.delete(action.resource);
    else if (step.do === 'read' && action.current) records.set(action.resource, action.current);
    else if (action.desired) {
      const resolved = resolveConfig(
        action.desired.config,
        (reference) => {
          const found = records.get(reference.name);
          if (!found) return { problem: `${reference.name} is not there` };
          return lookUpOutput({ ...found, settled: true }, reference, vault.open);
        },
        vault.open,
      );
      if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
      const spec = { name: action.resource, type: action.type, config: resolved.config, dependsOn: action.desired.dependsOn };
      const id = record?.providerId ?? '';
      const made =
        step.do === 'create' ? await driver.create(spec, call) : await driver.update({ ...spec, providerId: id }, spec, call);
      const late =
        action.kind === 'replace' && step.do === 'create' && record
          ? action.steps.find((one) => one.after.includes(step.id))
          : undefined;
      const deposed = [
        ...(record?.deposed ?? []),
        ...(late?.deposed !== undefined && record
          ? [{ key: late.deposed, providerId: record.providerId, outputs: record.outputs }]
          : []),
      ];
      records.set(
        action.resource,
        recordOf(action.resource, {
          type: action.type,
          provider: action.provider,
          providerId: made.providerId,
          config: resolved.config,
          outputs: made.outputs,
          dependencies: action.desired.dependsOn,
          protected: action.desired.protected,
          createBeforeDestroy: action.desired.createBeforeDestroy,
          deposed,
        }),
      );
    }
  }
  return stateOf(records.values(), state.serial + 1);
}

/** `kind name: steps`, for a quick look. */
export function summary(plan: Plan): string[] {
  return plan.actions.map((action) => `${action.kind} ${action.resource}`);
}

export function afterOf(plan: Plan, step: string): readonly string[] {
  return plan.actions.flatMap((action) => action.steps).find((one) => one.id === step)?.after ?? ['no such step'];
}

/** The typed error that the work must end with. */
export async function rejection(work: Promise<unknown>): Promise<ErrandError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isErrandError(error)) throw new Error(`not refused with a typed error: ${String(error)}`);
  return error;
}
