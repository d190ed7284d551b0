import type { JournalEntry, ResourceRecord, StackLock, StateChange, StateStore } from '@errand/core';

/** One empty place for states. */
export interface StateBed extends AsyncDisposable {
  /** One more handle on it, as another process would have; all are closed with the bed. */
  open(): Promise<StateStore>;
  /** Whether earlier versions can be read back. */
  readonly keepsVersions: boolean;
}

export interface StateScenario {
  /** The promise, as a sentence. */
  readonly name: string;
  run(bed: StateBed): Promise<void>;
}

export function record(name: string, more: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    name,
    type: 'fake.thing',
    provider: 'here',
    use: 'fake',
    providerId: `id-${name}`,
    config: { n: 1, deep: { list: [1, 'two', null, true] } },
    configHash: 'hash',
    source: 'apply',
    outputs: { text: 'ü "quoted" \n', secret: { $sealed: '1:k:x', $fingerprint: 'f' } },
    sensitive: ['secret'],
    status: 'running',
    dependencies: ['a', 'b'],
    protected: true,
    createBeforeDestroy: true,
    owner: 'me',
    createdAt: 1_000,
    updatedAt: 2_000,
    driftCheckedAt: 3_000,
    deposed: [{ key: 'k1', providerId: 'old', outputs: {} }],
    tainted: true,
    ...more,
  };
}

export function entry(id: string, more: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id,
    stack: 'default',
    apply: 'plan-1',
    epoch: 1,
    resource: 'a',
    type: 'fake.thing',
    provider: 'here',
    use: 'fake',
    do: 'create',
    key: `key-${id}`,
    openedAt: 5,
    ...more,
  };
}

export const put = (name: string, more?: Partial<ResourceRecord>): StateChange => ({ kind: 'put', record: record(name, more) });
export const drop = (name: string): StateChange => ({ kind: 'drop', name });

export function wanted(pid: number, stack = 'default'): Omit<StackLock, 'epoch'> {
  const holder = { machine: 'm', pid, started: 's' };
  return { stack, owner: `user${pid}@m`, holder, reason: 'a test', takenAt: 10, heldUntil: 1_000 };
}

/** Takes the lock, whoever has it. */
export async function lock(store: StateStore, pid = 1, stack = 'default'): Promise<number> {
  const { epoch } = await store.look(stack);
  const taken = await store.takeLock(epoch, wanted(pid, stack), 'lineage-1');
  if (!taken) throw new Error('somebody else was quicker');
  return taken.epoch;
}

/** Commits as one change set. */
export function writer(store: StateStore, epoch: number, stack = 'default') {
  return (changeSet: string, ...changes: readonly StateChange[]) =>
    store.commit({ stack, epoch, changeSet, by: `test ${changeSet}`, now: 7_000, changes });
}

/** The code of the refusal, or undefined when nothing was refused. */
export async function refusal(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error);
  }
}
