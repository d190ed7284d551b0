import type { Database } from '../database.ts';
import { migrate } from '../migrations.ts';
import { openDatabase } from '../open.ts';
import { systemRandom } from '../../base/random.ts';
import { commitState } from './commit.ts';
import { beatLock, breakLock, lookAtLock, releaseLock, takeLock } from './lock.ts';
import type { StateStore } from './port.ts';
import { readHead, readHistory, readJournal, readState, readVersion } from './reads.ts';

export interface StateStoreOptions {
  /** The data directory; made when it is not there. */
  readonly home: string;
  /** `sqlite` (in the data directory) when absent, else a `postgres://` URL. */
  readonly url?: string | undefined;
}

/** On a connection of its own, whose commits wait for the disk: a forgotten intent would be a resource that nobody knows. */
export async function openStateStore(options: StateStoreOptions): Promise<StateStore> {
  const { database, place } = await openDatabase(options, { lasting: true });
  try {
    await migrate(database, place, systemRandom);
    return stateStoreOn(database);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** For a database that is migrated. It is closed together with the store. */
export function stateStoreOn(database: Database): StateStore {
  return {
    read: (stack) => database.transaction((tx) => readState(tx, stack)),
    head: (stack) => readHead(database, stack),
    journal: (stack) => readJournal(database, stack),
    commit: (write) => database.transaction((tx) => commitState(tx, write)),
    history: (stack) => readHistory(database, stack),
    version: (stack, serial) => database.transaction((tx) => readVersion(tx, stack, serial)),
    look: (stack) => lookAtLock(database, stack),
    takeLock: (seen, lock, lineage) => database.transaction((tx) => takeLock(tx, seen, lock, lineage)),
    beatLock: (stack, epoch, until) => database.transaction((tx) => beatLock(tx, stack, epoch, until)),
    releaseLock: (stack, epoch) => database.transaction((tx) => releaseLock(tx, stack, epoch)),
    breakLock: (stack) => database.transaction((tx) => breakLock(tx, stack)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
