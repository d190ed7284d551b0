// Every command that writes goes through here: lock, recover what a crash left, work, settle, give the lock back.
import { isErrandError } from '@errand/contract';
import type { Infra } from '@errand/contract';
import type { Settings } from '../../engine/types.ts';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { Stack } from '../../model/infra/stack.ts';
import type { State, StateHead } from '../../model/infra/record.ts';
import type { Ports } from '../../ports.ts';
import type { StateStore } from '../../store/infra/port.ts';
import type { Vault } from '../references/sealed.ts';
import type { ApplyEvent } from '../sdk.ts';
import { createStateWriter } from '../state/group-commit.ts';
import { holdLock } from '../state/hold-lock.ts';
import type { ApplyContext } from './context.ts';
import { recover } from './recover.ts';

/** What a stack is worked on with. */
export interface InfraParts {
  readonly ports: Ports;
  readonly settings: Pick<Settings, 'claimFor' | 'beatEvery'>;
  readonly store: StateStore;
  readonly vault: Vault;
  readonly stack: Stack;
  /** `user@machine`, for the lock. */
  readonly owner: string;
  /** `provider/unknown` when the config has none of that name. */
  infraOf(provider: string): Promise<Infra>;
  useOf(provider: string): string;
  versionOf(use: string): string;
  secret(reference: string): Promise<string>;
  /** What a plan recovers is told here: it has no listener of its own. */
  readonly heard?: ((event: ApplyEvent) => void) | undefined;
}

export interface SessionOptions {
  /** For the history: `apply plan-…`, `import`. */
  readonly by: string;
  readonly on?: ((event: ApplyEvent) => void) | undefined;
  readonly abort?: AbortSignal | undefined;
  readonly owner?: string | undefined;
  readonly forceOwner?: boolean | undefined;
  /** For those who put another state in its place: one that is damaged counts as empty, and nothing is recovered. */
  readonly blind?: boolean;
}

export interface Session {
  readonly context: ApplyContext;
  /** As it was when everything was recovered. */
  readonly state: State;
  /** Fires when the lock was lost. */
  readonly lost: AbortSignal;
}

export async function withStack<T>(
  parts: InfraParts,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<{ readonly value: T; readonly head: StateHead }> {
  const { ports, store } = parts;
  const stack = parts.stack.name;
  await using held = await holdLock({ ...parts, stack }, options.by);
  const { epoch } = held.lock;
  const changeSet = ports.random.id();
  const writer = createStateWriter({ store, clock: ports.clock, stack, epoch, changeSet, by: options.by });
  const signal = options.abort ? AbortSignal.any([options.abort, held.lost]) : held.lost;
  const before = await readBefore(parts, options);
  const open = new Map<string, JournalEntry>();
  const context: ApplyContext = {
    ports,
    vault: parts.vault,
    writer,
    stack,
    lineage: before.lineage,
    epoch,
    serial: before.serial,
    signal,
    open,
    apply: changeSet,
    live: new Map(before.resources),
    inputs: parts.stack.inputs,
    owner: options.owner,
    forceOwner: options.forceOwner,
    infraOf: (provider) => parts.infraOf(provider),
    useOf: (provider) => parts.useOf(provider),
    secret: (reference) => parts.secret(reference),
    on: (event) => options.on?.(event),
  };
  const entries = options.blind ? [] : await store.journal(stack);
  for (const [name, entry] of await recover(context, entries)) open.set(name, entry);
  const state = entries.length === 0 ? before : { ...before, ...(await writer.settled()), resources: new Map(context.live) };
  const value = await work({ context: { ...context, serial: state.serial }, state, lost: held.lost });
  const head = await writer.settled();
  return { value, head };
}

async function readBefore({ store, stack }: InfraParts, { blind }: SessionOptions): Promise<State> {
  try {
    return await store.read(stack.name);
  } catch (error) {
    if (!blind || !isErrandError(error, 'state/corrupt')) throw error;
    return { ...(await store.head(stack.name)), resources: new Map(), outputs: new Map() };
  }
}
