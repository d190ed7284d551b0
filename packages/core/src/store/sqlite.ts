// The embedded database: one connection per process to one file. WAL with synchronous=NORMAL: a commit survives the
// death of the process at once, and that of the machine from the next checkpoint on (docs/adr).
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { ErrandError } from '@errand/contract';
import { systemClock } from '../base/clock.ts';
import type { Database, Dialect, Row, Transaction, Value } from './database.ts';
import { createGate } from './gate.ts';
import { createListeners } from './listeners.ts';
import { fileError, isBusy, sqliteError } from './sqlite-errors.ts';

const dialect: Dialect = {
  text: 'TEXT',
  number: 'INTEGER',
  // Events are never deleted, so numbers cannot come twice; AUTOINCREMENT would write one page more in every transaction.
  serial: 'INTEGER PRIMARY KEY',
  findTable: `SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1`,
  forUpdate: '',
  forUpdateOfAny: '',
  field: (column, name) => `(${column} ->> '${name}')`,
  lockSchema: [],
};

/** How long SQLite itself waits for a lock. It blocks the event loop, and the lock may be held by this very process. */
const blockFor = 5;
const pollEvery = 50;
/** Pages of WAL between two checkpoints. A checkpoint waits for the disk, in the event loop: four times as rare as the default. */
const checkpointEvery = 4000;

export interface SqliteOptions {
  /** How long to wait for other processes before `store/busy`, in milliseconds. */
  readonly patience?: number;
  /** A commit resolves when the disk has it, so that it survives the death of the machine, too; false when absent. */
  readonly lasting?: boolean;
}

/** `:memory:` is a private database; several stores on it see one another. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  if (path !== ':memory:') createPrivately(path);
  const connection = connect(path);
  const patience = options.patience ?? 10_000;
  const gate = createGate();
  const listeners = createListeners();
  const statements = new Map<string, StatementSync>();
  let inTransaction = false;

  function statement(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    const prepared = connection.prepare(sql.replaceAll('$', '?'));
    statements.set(sql, prepared);
    return prepared;
  }

  const exec = (sql: string) => void statement(sql).run();
  const read = (sql: string, values: readonly Value[] = []) => statement(sql).all(...values) as unknown as readonly Row[];

  /** Sleeps between attempts, so that the event loop goes on while another process has the lock. */
  async function patiently<T>(attempt: () => T): Promise<T> {
    let since: number | undefined;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return attempt();
      } catch (error) {
        // Only who has to wait needs the clock: loading it takes a millisecond of a short command.
        since ??= performance.now();
        if (!isBusy(error) || performance.now() - since > patience) throw sqliteError(error, path);
      }
      await systemClock.sleep(pause * (0.5 + Math.random()));
    }
  }

  /** A statement on its own must not slip into the transaction that somebody else has open on the connection. */
  async function all(sql: string, values?: readonly Value[]): Promise<readonly Row[]> {
    if (!inTransaction) {
      try {
        return read(sql, values);
      } catch (error) {
        if (!isBusy(error)) throw sqliteError(error, path);
      }
    }
    await gate.enter();
    try {
      return await patiently(() => read(sql, values));
    } finally {
      gate.leave();
    }
  }

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await gate.enter();
    let over = false;
    let changed = 0;
    const inside = <R>(step: () => R): R => {
      if (over) throw new ErrandError('internal/bug', 'a transaction was used after its end');
      try {
        return step();
      } catch (error) {
        throw sqliteError(error, path);
      }
    };
    const tx: Transaction = {
      dialect,
      all: async (sql, values) => inside(() => read(sql, values)),
      run: async (sql, values = []) => {
        const changes = inside(() => Number(statement(sql).run(...values).changes));
        changed += changes;
        return changes;
      },
    };
    try {
      await patiently(() => exec('BEGIN IMMEDIATE'));
      inTransaction = true;
      const result = await work(tx);
      over = true;
      await patiently(() => exec('COMMIT'));
      if (changed > 0) listeners.tell();
      return result;
    } catch (error) {
      over = true;
      // SQLite has already rolled back by itself after some errors, such as a full disk.
      if (connection.isOpen && connection.isTransaction) exec('ROLLBACK');
      throw error;
    } finally {
      inTransaction = false;
      gate.leave();
    }
  }

  const poll = createPoll(
    () => read('PRAGMA data_version')[0]?.['data_version'],
    () => listeners.tell(),
  );

  try {
    await patiently(() => {
      if (read('PRAGMA journal_mode')[0]?.['journal_mode'] === 'delete') exec('PRAGMA journal_mode = WAL');
      exec(`PRAGMA synchronous = ${options.lasting ? 'FULL' : 'NORMAL'}`);
      exec(`PRAGMA wal_autocheckpoint = ${checkpointEvery}`);
    });
  } catch (error) {
    connection.close();
    throw error;
  }

  return {
    dialect,
    all,
    transaction,
    watch: (listener) => {
      const remove = listeners.add(listener);
      // Only this process can write to a database in its memory.
      if (path !== ':memory:') poll.start();
      const stop = () => {
        remove();
        if (listeners.size === 0) poll.stop();
      };
      return { [Symbol.dispose]: stop };
    },
    [Symbol.asyncDispose]: async () => {
      poll.stop();
      await gate.enter();
      if (connection.isOpen) connection.close();
      gate.leave();
    },
  };
}

/** Watches a number that goes up when another connection commits. */
function createPoll(version: () => unknown, changed: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let last: unknown;
  const hasChanged = () => {
    try {
      const before = last;
      last = version();
      return before !== last;
    } catch {
      // Whoever reads the store next is told what is wrong with it.
      return true;
    }
  };
  return {
    start: () => {
      if (timer) return;
      hasChanged();
      timer = setInterval(() => hasChanged() && changed(), pollEvery).unref();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** SQLite gives its other files the mode of the first. An existing file is left alone: closing it would drop its locks. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(error, path);
  }
}

function connect(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: blockFor });
  } catch (error) {
    throw sqliteError(error, path);
  }
}
