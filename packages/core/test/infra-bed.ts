// A stack on the fake platform and a real store in a temporary directory, for tests of the infrastructure engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attributes } from '@errand/contract';
import { createFakeInfra } from '@errand/testkit';
import type { FakeInfra, FakeInfraOptions } from '@errand/testkit';
import { systemPorts } from '../src/base/system.ts';
import { defaultSettings } from '../src/engine/types.ts';
import { applyPlan } from '../src/infra/apply/apply.ts';
import type { InfraParts } from '../src/infra/apply/session.ts';
import type { ApplyEvent, ApplyOptions, ApplyResult } from '../src/infra/sdk.ts';
import { readStateKey } from '../src/infra/state/key-file.ts';
import { createVault } from '../src/infra/state/seal.ts';
import type { Action, ActionKind, Plan, PlannedResource, Step } from '../src/model/infra/plan.ts';
import type { State } from '../src/model/infra/record.ts';
import type { DeclaredOutput, Stack } from '../src/model/infra/stack.ts';
import { openStateStore } from '../src/store/infra/open.ts';
import type { StateStore } from '../src/store/infra/port.ts';

export interface InfraBed extends AsyncDisposable {
  readonly directory: string;
  readonly home: string;
  readonly fake: FakeInfra;
  readonly store: StateStore;
  readonly parts: InfraParts;
  readonly events: ApplyEvent[];
  state(): Promise<State>;
  apply(actions: readonly Action[], options?: ApplyOptions & Partial<Plan>): Promise<ApplyResult>;
}

export interface InfraBedOptions extends FakeInfraOptions {
  readonly outputs?: Readonly<Record<string, Pick<DeclaredOutput, 'value'> & { readonly sensitive?: boolean }>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly store?: StateStore;
}

export async function infraBed(options: InfraBedOptions = {}): Promise<InfraBed> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-infra-'));
  const home = join(directory, 'home');
  const store = options.store ?? (await openStateStore({ home }));
  const fake = createFakeInfra(options);
  const events: ApplyEvent[] = [];
  const parts = partsOn(store, fake, join(directory, 'secrets'), options);
  let plans = 0;
  return {
    directory,
    home,
    fake,
    store,
    parts,
    events,
    state: () => store.read('default'),
    apply: async (actions, { purpose = 'apply', refreshed = [], ...more } = {}) => {
      const { lineage, serial } = await store.head('default');
      const plan = planOf(actions, { lineage, serial, purpose, refreshed, id: `plan-${++plans}` });
      return applyPlan(parts, plan, () => {}, { on: (event) => void events.push(event), ...more });
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function partsOn(store: StateStore, fake: FakeInfra, keys: string, options: InfraBedOptions = {}): InfraParts {
  const stack: Stack = {
    name: 'default',
    providers: new Map([['fake', { name: 'fake', use: 'fake', config: {} }]]),
    resources: new Map(),
    outputs: new Map(
      Object.entries(options.outputs ?? {}).map(([name, output]) => [name, { sensitive: false, name, ...output }]),
    ),
    inputs: new Map(),
  };
  return {
    ports: systemPorts(),
    settings: defaultSettings,
    store,
    vault: createVault(() => readStateKey(keys)),
    stack,
    owner: 'me@here',
    infraOf: async () => fake.infra,
    useOf: () => 'fake',
    versionOf: () => '0.1.0',
    secret: async (reference) => options.secrets?.[reference] ?? '',
  };
}

export function planOf(actions: readonly Action[], more: Partial<Plan> = {}): Plan {
  return {
    format: 1,
    id: 'plan-1',
    createdAt: 0,
    stack: 'default',
    lineage: '',
    serial: 0,
    desiredHash: '',
    inputs: {},
    providers: [{ name: 'fake', use: 'fake', version: '0.1.0' }],
    purpose: 'apply',
    actions,
    refreshed: [],
    drift: [],
    outputs: {},
    diagnostics: [],
    unchanged: 0,
    excluded: [],
    ...more,
  };
}

/** `steps` are `do` or `do after other step, …`; an id is the `do` and the name. */
export function action(
  kind: ActionKind,
  resource: string,
  config: Attributes | undefined,
  more: {
    readonly type?: string;
    readonly after?: readonly string[];
    readonly steps?: readonly Step[];
    readonly desired?: Partial<PlannedResource>;
  } = {},
): Action {
  const [only] = [kind];
  const steps = more.steps ?? [{ id: `${only} ${resource}`, do: only, after: more.after ?? [] }];
  return {
    kind,
    resource,
    type: more.type ?? 'fake.thing',
    provider: 'fake',
    because: ['a test wants it'],
    steps,
    changes: [],
    ...(config && {
      desired: {
        config,
        unknown: [],
        sensitive: [],
        dependsOn: [],
        protected: false,
        createBeforeDestroy: false,
        adopt: false,
        ...more.desired,
      },
    }),
  };
}
