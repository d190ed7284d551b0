// A plugin's state backend as a state store. It knows records and locks without expiry, no transactions and no serial, so
// one record of our own (`errand.head.<stack>`) holds head, lock, outputs and journal. Resources are written before it: a
// crash in between leaves an entry open, and recovery finds what was meant.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Ask, BackendRecord, Call, Json, StateBackend } from '@errand/contract';
import type { JournalEntry, StackLock } from '../../model/infra/journal.ts';
import type { ResourceRecord, StateOutput } from '../../model/infra/record.ts';
import type { Clock } from '../../ports.ts';
import { createGate } from '../../store/gate.ts';
import { fenced } from '../../store/infra/commit.ts';
import type { StateStore, StateWrite } from '../../store/infra/port.ts';
import { corrupt, newer, stateFormat } from '../../store/infra/rows.ts';
import { fromBackend, headId, isOf, resourceId, toBackend } from './backend-record.ts';

export interface BackendOptions {
  readonly backend: StateBackend;
  readonly name: string;
  readonly config: Json;
  /** For keys of locks; unique to this process. */
  readonly holder: string;
  readonly clock: Pick<Clock, 'sleep'>;
}

interface Head {
  readonly format: number;
  readonly lineage: string;
  readonly serial: number;
  readonly updatedAt: number;
  readonly epoch: number;
  readonly by: string;
  readonly lock: StackLock | null;
  readonly outputs: Readonly<Record<string, StateOutput>>;
  readonly journal: Readonly<Record<string, JournalEntry>>;
}

const none: Head = {
  format: stateFormat,
  lineage: '',
  serial: 0,
  updatedAt: 0,
  epoch: 0,
  by: '',
  lock: null,
  outputs: {},
  journal: {},
};

const atOnce = 16;
const attempts = 100;
const pause = 50;

export async function openBackendStore({ backend, name, config, holder, clock }: BackendOptions): Promise<StateStore> {
  const ask: Ask = { signal: new AbortController().signal, log: () => {} };
  const call = (key: string, epoch = 1): Call => ({ ...ask, key, epoch });
  const gate = createGate();
  await backend.configure(name, config, call(`configure ${name}`));

  async function readHead(stack: string): Promise<Head> {
    const record = await backend.get(headId(stack), ask);
    if (!record) return none;
    const head = record.config as unknown as Partial<Head>;
    if (typeof head.format !== 'number' || typeof head.serial !== 'number' || typeof head.epoch !== 'number') {
      throw corrupt(`the head of stack ${stack} in the state backend`);
    }
    if (head.format > stateFormat) throw newer(`the state of stack ${stack}`, head.format);
    return { ...none, ...head };
  }

  async function saveHead(stack: string, head: Head): Promise<void> {
    const at = new Date(head.updatedAt).toISOString();
    const record: BackendRecord = {
      resourceId: headId(stack),
      resourceType: 'errand.head',
      provider: 'errand',
      providerRef: '',
      providerId: '',
      configHash: '',
      status: 'active',
      outputs: {},
      dependencies: [],
      createdAt: at,
      updatedAt: at,
      error: '',
      config: JSON.parse(JSON.stringify(head)) as BackendRecord['config'],
    };
    await backend.save(record, call(`head ${stack} ${head.epoch} ${head.serial}`, head.epoch));
  }

  /** Nobody else changes who holds the stack meanwhile. Undefined when somebody does. */
  async function alone<T>(stack: string, work: () => Promise<T>): Promise<T | undefined> {
    const key = `${headId(stack)}.lock`;
    try {
      await backend.lock(key, call(holder));
    } catch (error) {
      if (isErrandError(error, 'provider/conflict')) return undefined;
      throw error;
    }
    try {
      return await work();
    } finally {
      await backend.unlock(key, call(holder));
    }
  }

  /** The head is read, changed and written by one at a time, here and elsewhere. */
  async function inTurn<T>(stack: string, work: () => Promise<T>): Promise<T> {
    await gate.enter();
    try {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const result = await alone(stack, async () => ({ value: await work() }));
        if (result) return result.value;
        await clock.sleep(pause);
      }
    } finally {
      gate.leave();
    }
    throw new ErrandError('infra/locked', `waited for the state of stack ${stack} in its backend: somebody keeps it locked`, {
      next: 'If nobody is at work on it, take the lock away with `errand infra unlock`.',
    });
  }

  async function namesOf(stack: string): Promise<readonly string[]> {
    const ids = (await backend.list({}, ask)).map((record) => record.resourceId).filter((id) => isOf(stack, id));
    return ids.map((id) => id.slice(resourceId(stack, '').length));
  }

  async function commit(write: StateWrite) {
    const { stack, epoch, now } = write;
    const head = await readHead(stack);
    if (head.epoch !== epoch) throw fenced(stack, epoch, head.epoch === 0 ? undefined : head.epoch);
    const records = new Map<string, ResourceRecord | undefined>();
    if (write.whole) for (const resource of await namesOf(stack)) records.set(resource, undefined);
    const outputs: Record<string, StateOutput> = write.whole ? {} : { ...head.outputs };
    const journal: Record<string, JournalEntry> = { ...head.journal };
    let moved = write.whole ?? false;
    for (const change of write.changes) {
      if (change.kind === 'open') journal[change.entry.id] = change.entry;
      else if (change.kind === 'close') delete journal[change.id];
      else moved = true;
      if (change.kind === 'put') records.set(change.record.name, change.record);
      if (change.kind === 'drop') records.set(change.name, undefined);
      if (change.kind === 'put-output') outputs[change.name] = change.output;
      if (change.kind === 'drop-output') delete outputs[change.name];
    }
    const key = `${write.changeSet} ${head.serial}`;
    await eachOf([...records], ([resource, record]) => {
      const id = resourceId(stack, resource);
      return record
        ? backend.save(toBackend(stack, record), call(`${key} ${id}`, epoch))
        : backend.delete(id, call(`${key} ${id}`, epoch));
    });
    const lineage = write.lineage ?? head.lineage;
    const after = moved ? { serial: head.serial + 1, updatedAt: now, by: write.by, lineage } : {};
    const next: Head = { ...head, ...after, outputs, journal };
    await saveHead(stack, next);
    return { stack, lineage: next.lineage, serial: next.serial, updatedAt: next.updatedAt };
  }

  async function read(stack: string) {
    const { lineage, serial, updatedAt, outputs } = await readHead(stack);
    const listed = (await backend.list({}, ask)).filter((record) => isOf(stack, record.resourceId));
    const records = listed.map((record) => fromBackend(stack, record)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const resources = new Map(records.map((record) => [record.name, record]));
    return { stack, lineage, serial, updatedAt, resources, outputs: new Map(Object.entries(outputs)) };
  }

  return {
    read,
    commit: (write) => inTurn(write.stack, () => commit(write)),
    head: async (stack) => {
      const { lineage, serial, updatedAt } = await readHead(stack);
      return { stack, lineage, serial, updatedAt };
    },
    journal: async (stack) => Object.values((await readHead(stack)).journal).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    history: async (stack) => {
      const [{ by }, { resources, outputs: _, ...head }] = await Promise.all([readHead(stack), read(stack)]);
      return head.serial === 0 ? [] : [{ ...head, by, resources: resources.size }];
    },
    version: async (stack, serial) => {
      const state = await read(stack);
      if (state.serial === serial) return state;
      throw new ErrandError('state/unknown', `looked for version ${serial} of stack ${stack}: this backend keeps only the last`, {
        next: 'Use the versions that the backend itself keeps, if it does.',
      });
    },
    look: async (stack) => {
      const { epoch, lock } = await readHead(stack);
      return { epoch, lock: lock ?? undefined };
    },
    takeLock: (seenEpoch, wanted, lineage) =>
      inTurn(wanted.stack, async () => {
        const head = await readHead(wanted.stack);
        if (head.epoch !== seenEpoch) return undefined;
        const lock: StackLock = { ...wanted, epoch: seenEpoch + 1 };
        await saveHead(wanted.stack, { ...head, lineage: head.lineage || lineage, epoch: lock.epoch, lock });
        return lock;
      }),
    beatLock: (stack, epoch, heldUntil) =>
      inTurn(stack, async () => {
        const head = await readHead(stack);
        if (head.epoch !== epoch || !head.lock) throw fenced(stack, epoch, head.epoch);
        await saveHead(stack, { ...head, lock: { ...head.lock, heldUntil } });
      }),
    releaseLock: (stack, epoch) =>
      inTurn(stack, async () => {
        const head = await readHead(stack);
        if (head.epoch === epoch) await saveHead(stack, { ...head, lock: null });
      }),
    breakLock: async (stack) => {
      const head = await readHead(stack);
      // Whoever died while it changed the lock left this one behind, too.
      await backend.unlock(`${headId(stack)}.lock`, call(holder));
      if (!head.lock) return undefined;
      await saveHead(stack, { ...head, lock: null, epoch: head.epoch + 1 });
      return head.lock;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let taken = 0;
  const worker = async () => {
    for (let item = items[taken++]; item !== undefined; item = items[taken++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
