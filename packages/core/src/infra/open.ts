// One stack, put together: the state where it lies, the providers that the config names, and the commands on them.
import { ErrandError, MASK } from '@errand/contract';
import type { Infra, Json } from '@errand/contract';
import { didYouMean } from '../base/distance.ts';
import type { Engine } from '../engine/types.ts';
import type { Plan } from '../model/infra/plan.ts';
import type { State } from '../model/infra/record.ts';
import type { Stack } from '../model/infra/stack.ts';
import type { StateStore } from '../store/infra/port.ts';
import { applyPlan } from './apply/apply.ts';
import type { InfraParts } from './apply/session.ts';
import { refusedAt } from './declare/providers.ts';
import { stackHash } from './hash/hash.ts';
import { importAll, importOne } from './operate/import.ts';
import { drift, refreshState, status } from './operate/look.ts';
import { planStack } from './operate/plan.ts';
import { push } from './operate/push.ts';
import { rotate } from './operate/rotate.ts';
import { bootstrap, cleanup, logs, owners } from './operate/services.ts';
import { move, remove, restore } from './operate/state.ts';
import { validateStack } from './operate/validate.ts';
import { requireAllowable, requireAllowed, requireValid } from './plan/gate.ts';
import { requireFresh } from './plan/stale.ts';
import type { ApplyEvent, InfraStack } from './sdk.ts';
import { openBackendStore } from './state/backend.ts';
import { toDocument } from './state/document.ts';
import { readStateKey } from './state/key-file.ts';
import { createVault, openAll } from './state/seal.ts';

export interface InfraOptions {
  readonly engine: Pick<Engine, 'ports' | 'providers' | 'secrets' | 'settings' | 'redact'>;
  readonly stack: Stack;
  /** The store's own place for states, for stacks without a backend. */
  readonly openState: () => Promise<StateStore>;
  /** Of the file secret store, where the key lies. */
  readonly secretDirectory: string;
  /** `user@machine`. */
  readonly owner: string;
  readonly heard?: (event: ApplyEvent) => void;
}

export async function openInfra(options: InfraOptions): Promise<InfraStack> {
  const parts = await partsOf(options);
  const { store, stack, vault } = parts;
  const read = () => store.read(stack.name);
  return {
    stack,
    plan: (wanted) => planStack(parts, wanted),
    apply: (plan, wanted = {}) => applyPlan(parts, plan, (state) => requireSound(parts, plan, state, wanted.allow), wanted),
    drift: (wanted) => drift(parts, wanted?.signal),
    refresh: (wanted) => refreshState(parts, wanted?.signal),
    import: (name, providerId) => importOne(parts, name, providerId),
    importAll: (provider, type, wanted) => importAll(parts, provider, type, wanted?.dryRun ?? false),
    state: read,
    history: () => store.history(stack.name),
    restore: (serial) => restore(parts, serial),
    move: (from, to) => move(parts, from, to),
    remove: (names) => remove(parts, names),
    pull: async () => toDocument(await read()),
    push: (document, wanted) => push(parts, document, wanted?.force ?? false),
    outputs: async (wanted) => {
      const { outputs } = await read();
      const show = (value: Json, sensitive: boolean) => (sensitive && !wanted?.reveal ? MASK : openAll(vault, value));
      return Object.fromEntries(
        [...outputs].map(([name, { value, sensitive }]) => [name, { value: show(value, sensitive), sensitive }]),
      );
    },
    lock: async () => (await store.look(stack.name)).lock,
    unlock: () => store.breakLock(stack.name),
    status: async () => status(parts, await read()),
    cleanup: (tag, { fix }) => cleanup(parts, tag, fix),
    owners: (owner, type) => owners(parts, owner, type),
    rotate: (name) => rotate(parts, name),
    bootstrap: () => bootstrap(parts),
    logs: (request, signal) => logs(parts, request, signal),
    validate: () => validateStack(stack, (name) => parts.infraOf(name)),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Opens providers by their names under `infra.providers`. */
export function providersIn(
  stack: Stack,
  { providers, redact }: Pick<Engine, 'providers' | 'redact'>,
): (name: string) => Promise<Infra> {
  return async (name) => {
    const declared = stack.providers.get(name);
    if (declared) {
      return providers.openInfra(declared.use, declared.config).catch((error: unknown) => {
        throw refusedAt(declared, error, redact);
      });
    }
    const known = [...stack.providers.keys()];
    const meant = didYouMean(name, known) ?? `Known are: ${known.join(', ')}.`;
    throw new ErrandError('provider/unknown', `looked for provider '${name}' under infra.providers: it is not there`, {
      next: `${meant} While resources of it are recorded it has to stay, or forget them with \`errand infra state rm\`.`,
    });
  };
}

async function partsOf({ engine, stack, openState, secretDirectory, owner, heard }: InfraOptions): Promise<InfraParts> {
  const { ports, settings, providers, secrets } = engine;
  const infraOf = providersIn(stack, engine);
  const openBackend = async (backend: NonNullable<Stack['backend']>) => {
    const { stateBackend } = await infraOf(backend.provider);
    if (!stateBackend?.names.includes(backend.name)) {
      const known = stateBackend ? `it has ${stateBackend.names.join(', ')}` : 'it has none';
      throw new ErrandError(
        'infra/invalid',
        `looked for the state backend '${backend.name}' of '${backend.provider}': ${known}`,
        {
          next: 'Correct infra.backend in errand.yaml; without it the state lies in the store.',
        },
      );
    }
    const holder = ports.random.id();
    return openBackendStore({ backend: stateBackend, name: backend.name, config: backend.config, holder, clock: ports.clock });
  };
  return {
    ports,
    settings,
    stack,
    owner,
    heard,
    infraOf,
    store: stack.backend ? await openBackend(stack.backend) : await openState(),
    vault: createVault(() => readStateKey(secretDirectory)),
    useOf: (name) => stack.providers.get(name)?.use ?? name,
    versionOf: (use) => providers.definitions.get(use)?.version ?? '',
    secret: (reference) => secrets.resolve(reference),
  };
}

/** Before the first step: nothing moved since the plan was made, its validators agree, and nothing that is protected has to go unasked. */
function requireSound(parts: InfraParts, plan: Plan, state: State, allow: readonly string[] | undefined): void {
  const { stack } = parts;
  if (plan.stack !== stack.name) {
    throw new ErrandError(
      'infra/stale-plan',
      `cannot apply the plan ${plan.id}: it is for stack ${plan.stack}, this is ${stack.name}`,
      {
        next: `Apply it with --env ${plan.stack}, or make a plan for this stack.`,
      },
    );
  }
  // The first command that writes makes the lineage; a plan that is older than any state has none.
  const lineage = plan.serial === 0 && state.serial === 0 ? plan.lineage : state.lineage;
  requireFresh(plan, {
    lineage,
    serial: state.serial,
    inputs: Object.fromEntries(stack.inputs),
    providers: [...stack.providers.values()].map(({ name, use }) => ({ name, use, version: parts.versionOf(use) })),
    desiredHash: stackHash(stack),
  });
  requireValid(plan);
  requireAllowed(plan, allow);
  requireAllowable(allow, stack, state);
}
