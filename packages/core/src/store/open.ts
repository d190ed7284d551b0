import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import { systemRandom } from '../base/random.ts';
import type { Ports } from '../ports.ts';
import type { Database, Reader, Transaction } from './database.ts';
import { readEvents, readSettledEvents } from './events.ts';
import { openWarm, takeIdle } from './idle.ts';
import { advanceLease, openLease, takeLease } from './leases.ts';
import { migrate } from './migrations.ts';
import type { Reads, Store, Writes } from './port.ts';
import { openPostgres } from './postgres.ts';
import { findLeases, findRuns, leaseById, listLeases, listRuns, providersUsed, runById, runByKey } from './reads.ts';
import { advanceRun, beatRun, cancelRun, claimRun, letGoRun, noteRun, openRun } from './runs.ts';
import { fileError } from './sqlite-errors.ts';
import { openSqlite } from './sqlite.ts';
import type { SqliteOptions } from './sqlite.ts';

export interface StoreOptions {
  /** The data directory; made when it is not there. */
  readonly home: string;
  /** `sqlite` (in the data directory) when absent, else a `postgres://` URL. */
  readonly url?: string | undefined;
  readonly ports?: Pick<Ports, 'random'>;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { database, place } = await openDatabase(options);
  try {
    return await openStoreOn(database, { place, own: true, ...(options.ports && { ports: options.ports }) });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

export interface StoreOnOptions {
  /** What a message calls the database. */
  readonly place?: string;
  /** The store closes the database when it is disposed; false when absent, since others may be on it. */
  readonly own?: boolean;
  readonly ports?: Pick<Ports, 'random'>;
}

/** Several stores may stand on one database: that is how the simulation has several hosts in one process. */
export async function openStoreOn(database: Database, options: StoreOnOptions = {}): Promise<Store> {
  const owner = await migrate(database, options.place ?? 'the store', options.ports?.random ?? systemRandom);
  return {
    owner,
    ...operations(database, (work) => database.transaction(work)),
    transaction: (work) => database.transaction((tx) => work(operations(tx, (step) => step(tx)))),
    watch: (listener) => database.watch(listener),
    [Symbol.asyncDispose]: async () => {
      if (options.own) await database[Symbol.asyncDispose]();
    },
  };
}

export async function openDatabase(
  { home, url = 'sqlite' }: Pick<StoreOptions, 'home' | 'url'>,
  options: SqliteOptions = {},
): Promise<{ database: Database; place: string }> {
  if (url === 'sqlite') {
    const path = join(home, 'errand.db');
    makeHome(home, path);
    return { database: await openSqlite(path, options), place: `the store ${path}` };
  }
  if (!/^postgres(ql)?:\/\//.test(url)) {
    const next = 'Leave it out, or write `sqlite` or a postgres:// URL.';
    throw new ErrandError('config/invalid', 'read the store setting: it is neither `sqlite` nor a postgres:// URL', { next });
  }
  const database = await openPostgres(url);
  return { database, place: database.place };
}

function makeHome(home: string, path: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(error, path);
  }
}

type Within = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

function operations(reader: Reader, within: Within): Reads & Writes {
  return {
    openRun: (run) => within((tx) => openRun(tx, run)),
    claimRun: (id, seen, holder, until, now) => within((tx) => claimRun(tx, id, seen, holder, until, now)),
    beatRun: (id, epoch, until) => within((tx) => beatRun(tx, id, epoch, until)),
    letGoRun: (id, epoch) => within((tx) => letGoRun(tx, id, epoch)),
    advanceRun: (id, epoch, event, patch, now) => within((tx) => advanceRun(tx, id, epoch, event, patch, now)),
    noteRun: (id, epoch, patch, now) => within((tx) => noteRun(tx, id, epoch, patch, now)),
    cancelRun: (id, how, now) => within((tx) => cancelRun(tx, id, how, now)),
    openLease: (lease) => within((tx) => openLease(tx, lease)),
    advanceLease: (id, epoch, event, patch, now) => within((tx) => advanceLease(tx, id, epoch, event, patch, now)),
    takeLease: (id, run, now) => within((tx) => takeLease(tx, id, run, now)),
    takeIdle: (wanted) => within((tx) => takeIdle(tx, wanted)),
    openWarm: (lease, most) => within((tx) => openWarm(tx, lease, most)),
    run: (id) => runById(reader, id),
    findRuns: (prefix) => findRuns(reader, prefix),
    runByKey: (key) => runByKey(reader, key),
    runs: (filter) => listRuns(reader, filter),
    lease: (id) => leaseById(reader, id),
    findLeases: (prefix) => findLeases(reader, prefix),
    leases: (filter) => listLeases(reader, filter),
    providersUsed: () => providersUsed(reader),
    events: (filter) =>
      filter.id === undefined && reader.dialect.settleEvents
        ? within((tx) => readSettledEvents(tx, filter))
        : readEvents(reader, filter),
  };
}
