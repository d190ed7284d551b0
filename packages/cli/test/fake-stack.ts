// A stack held in the test's hand: plans are data, and what was asked of it is kept.
import { ErrandError } from '@errand/contract';
import type { Action, ApplyEvent, ApplyOptions, InfraStack, Plan, PlanOptions, ResourceRecord, StepOutcome } from '@errand/core';
import type { Runtime } from '@errand/core';

export function fakeRecord(change: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    name: 'db',
    type: 'infra.database',
    provider: 'laptop',
    use: 'docker',
    providerId: 'id-db',
    config: { engine: 'postgres' },
    configHash: 'h',
    source: 'apply',
    outputs: { host: 'localhost', password: { $sealed: 'AAAA', $fingerprint: 'f' } },
    sensitive: ['password'],
    status: 'running',
    dependencies: ['net'],
    protected: false,
    createBeforeDestroy: false,
    createdAt: 0,
    updatedAt: 0,
    deposed: [],
    tainted: false,
    ...change,
  };
}

export function fakeAction(kind: Action['kind'], resource: string, change: Partial<Action> = {}): Action {
  const { desired, current, ...rest } = change;
  const wants = kind !== 'delete' && kind !== 'forget';
  return {
    kind,
    resource,
    type: 'local.file',
    provider: 'here',
    because: ['it is so'],
    steps: [{ id: `${kind} ${resource}`, do: kind, after: [] }],
    changes: [],
    ...(wants && {
      desired: desired ?? {
        config: { path: `${resource}.txt` },
        unknown: [],
        sensitive: [],
        dependsOn: [],
        protected: false,
        createBeforeDestroy: false,
        adopt: false,
      },
    }),
    ...(kind !== 'create' && { current: current ?? fakeRecord({ name: resource, type: 'local.file', provider: 'here' }) }),
    ...rest,
  };
}

export function fakePlan(actions: readonly Action[], change: Partial<Plan> = {}): Plan {
  return {
    format: 1,
    id: 'plan-1',
    createdAt: 0,
    stack: 'default',
    lineage: 'l',
    serial: 3,
    desiredHash: 'h',
    inputs: {},
    providers: [],
    purpose: 'apply',
    actions,
    refreshed: [],
    drift: [],
    outputs: {},
    diagnostics: [],
    unchanged: 0,
    excluded: [],
    ...change,
  };
}

export interface FakeStack extends InfraStack {
  readonly planned: PlanOptions[];
  readonly applied: { readonly plan: Plan; readonly options: ApplyOptions }[];
}

/** Applies by starting and ending each step of the plan; `fails` names steps that do not work out. */
export function fakeStack(
  plan: Plan,
  change: Partial<InfraStack> = {},
  fails: Readonly<Record<string, StepOutcome>> = {},
): FakeStack {
  const planned: PlanOptions[] = [];
  const applied: { plan: Plan; options: ApplyOptions }[] = [];
  const stack: Partial<InfraStack> = {
    stack: { name: 'default', providers: new Map(), resources: new Map(), outputs: new Map(), inputs: new Map() },
    async plan(options = {}) {
      planned.push(options);
      return plan;
    },
    async apply(given, options = {}) {
      applied.push({ plan: given, options });
      const outcomes = given.actions.flatMap(({ resource, steps }) =>
        steps.map(({ id }): StepOutcome => {
          const event = (one: ApplyEvent) => options.on?.(one);
          const outcome = fails[id] ?? { step: id, resource, status: 'done', ms: 1234, providerId: `id-${resource}` };
          if (outcome.status !== 'skipped') event({ kind: 'started', step: id, resource, at: 0 });
          event({ kind: 'ended', outcome });
          return outcome;
        }),
      );
      return { plan: given.id, outcomes, serial: 4, interrupted: false, failures: [] };
    },
    outputs: async () => ({}),
    [Symbol.asyncDispose]: async () => {},
    ...change,
  };
  return new Proxy({ ...stack, planned, applied } as FakeStack, {
    get(target, name) {
      if (name in target || typeof name === 'symbol' || name === 'then') return Reflect.get(target, name) as unknown;
      throw new ErrandError('internal/bug', `the command must not ask the stack for ${name}`);
    },
  });
}

export function runtimeWith(stack: InfraStack, asked: (string | undefined)[] = []): Partial<Runtime> {
  return {
    infra: async (options) => {
      asked.push(options?.env);
      return stack;
    },
  };
}
