// Where the far side rests. In memory it outlives any simulated host; in a file it outlives real processes, and several
// of them may use it at once.
import { DatabaseSync } from 'node:sqlite';
import { emptyState } from './state.ts';
import type { CloudState } from './state.ts';

export interface Backing extends Disposable {
  /** Reads and changes the state in one atomic step; `work` may throw, then nothing is changed. */
  change<T>(work: (state: CloudState) => T): T;
  /** Other processes may change the state without telling us, so look again after this many milliseconds. */
  readonly lookAgain: number | undefined;
}

export function memoryBacking(): Backing {
  const state = emptyState();
  return { change: (work) => work(state), lookAgain: undefined, [Symbol.dispose]: () => {} };
}

/** A transaction of SQLite is all it takes to survive SIGKILL at any instruction. */
export function fileBacking(file: string): Backing {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS cloud (id INTEGER PRIMARY KEY, state TEXT NOT NULL)');
  const read = database.prepare('SELECT state FROM cloud WHERE id = 1');
  const write = database.prepare('INSERT INTO cloud VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state');

  return {
    change(work) {
      database.exec('BEGIN IMMEDIATE');
      try {
        const before = read.get()?.['state'];
        const state = typeof before === 'string' ? (JSON.parse(before) as CloudState) : emptyState();
        const result = work(state);
        const after = JSON.stringify(state);
        if (after !== before) write.run(after);
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    lookAgain: 20,
    [Symbol.dispose]: () => database.close(),
  };
}
