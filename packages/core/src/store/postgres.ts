// PostgreSQL, for several servers on one store. Our tables live in a schema of their own. READ COMMITTED is enough:
// whatever is changed was read under a row lock in the same transaction.
import { ErrandError } from '@errand/contract';
import type { ClientBase, ClientConfig, PoolClient } from 'pg';
import { systemClock } from '../base/clock.ts';
import type { Database, Dialect, Row, Transaction, Value } from './database.ts';
import { createListeners } from './listeners.ts';
import { postgresError, troubleOf } from './postgres-errors.ts';
import { createEar } from './postgres-listen.ts';

const schema = 'errand';
const channel = 'errand';

const dialect: Dialect = {
  text: 'TEXT COLLATE "C"',
  number: 'BIGINT',
  serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  findTable: `SELECT 1 AS found FROM pg_tables WHERE schemaname = '${schema}' AND tablename = $1`,
  forUpdate: ' FOR UPDATE',
  forUpdateOfAny: ' FOR UPDATE SKIP LOCKED',
  lockName: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
  field: (column, name) => `(${column}::json ->> '${name}')`,
  lockSchema: [
    `SELECT pg_advisory_xact_lock(hashtext('${schema}'))`,
    // Not IF NOT EXISTS, which asks for the right to create even when there is nothing to do.
    `DO $do$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA ${schema}; END IF;
     END $do$`,
  ],
  settleEvents: 'LOCK TABLE events IN SHARE MODE',
};

/** A host that stands still inside a transaction must not stop the others for ever. */
const session = `SET search_path TO ${schema}; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '30s'`;

const int8 = 20;
const mostConflicts = 10;
const mostLosses = 2;

export interface PostgresDatabase extends Database {
  /** Host, port and database, for messages. */
  readonly place: string;
}

export async function openPostgres(url: string): Promise<PostgresDatabase> {
  const pg = await import('pg');
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const config: ClientConfig = { connectionString: url, types, keepAlive: true, connectionTimeoutMillis: 5_000 };
  const place = describe(() => new pg.Client(config));
  const pool = new pg.Pool({ ...config, ...hooks, max: 8, idleTimeoutMillis: 30_000 });
  pool.on('error', () => {});
  const listeners = createListeners();
  const ear = createEar(
    () => new pg.Client(config),
    channel,
    () => listeners.tell(),
  );
  const names = new Map<string, string>();

  /** A named statement is parsed and planned once per connection. */
  function prepared(text: string, values: readonly Value[] = []) {
    const name = names.get(text) ?? `errand_${names.size}`;
    names.set(text, name);
    return { name, text, values: [...values] };
  }

  async function all(sql: string, values?: readonly Value[]): Promise<readonly Row[]> {
    return retrying(place, async (attempt) => {
      const result = await attempt(() => pool.query<Record<string, Value>>(prepared(sql, values)));
      return result.rows;
    });
  }

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const changed = { rows: 0 };
    const result = await retrying(place, async (attempt, final) => {
      const client = await attempt(() => pool.connect());
      changed.rows = 0;
      let over = false;
      const inside = async (sql: string, values?: readonly Value[]) => {
        if (over) throw new ErrandError('internal/bug', 'a transaction was used after its end');
        return attempt(() => client.query<Record<string, Value>>(prepared(sql, values)));
      };
      const tx: Transaction = {
        dialect,
        all: async (sql, values) => (await inside(sql, values)).rows,
        run: async (sql, values) => {
          const { rowCount } = await inside(sql, values);
          changed.rows += rowCount ?? 0;
          return rowCount ?? 0;
        },
      };
      try {
        await attempt(() => client.query('BEGIN'));
        const value = await work(tx);
        over = true;
        // A lost reply leaves open whether it was committed: not to be repeated here.
        await final(() => client.query(changed.rows > 0 ? `NOTIFY ${channel}; COMMIT` : 'COMMIT'));
        client.release();
        return value;
      } catch (error) {
        over = true;
        await giveBack(client);
        throw error;
      }
    });
    if (changed.rows > 0) listeners.tell();
    return result;
  }

  return {
    place,
    dialect,
    all,
    transaction,
    watch: (listener) => {
      const remove = listeners.add(listener);
      ear.start();
      const stop = () => {
        remove();
        if (listeners.size === 0) void ear.stop();
      };
      return { [Symbol.dispose]: stop };
    },
    [Symbol.asyncDispose]: async () => {
      await ear.stop();
      if (!pool.ended) await pool.end();
    },
  };
}

type Attempt = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Runs `work` until it is not disturbed. `attempt` marks the statements after whose failure everything may be repeated
 * if the failure is of that kind; a failed `final` is reported as it is.
 */
async function retrying<T>(place: string, work: (attempt: Attempt, final: Attempt) => Promise<T>): Promise<T> {
  let conflicts = 0;
  let losses = 0;
  for (;;) {
    let again = false;
    const attempt: Attempt = async (step) => {
      try {
        return await step();
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === 'conflict') again = ++conflicts < mostConflicts;
        if (trouble === 'lost') again = ++losses < mostLosses;
        throw postgresError(error, place);
      }
    };
    const final: Attempt = async (step) => {
      try {
        return await step();
      } catch (error) {
        if (troubleOf(error) === 'conflict') again = ++conflicts < mostConflicts;
        throw postgresError(error, place);
      }
    };
    try {
      return await work(attempt, final);
    } catch (error) {
      if (!again) throw error;
    }
    await systemClock.sleep((losses > 0 ? 100 : 5) * 2 ** Math.min(conflicts, 5) * (0.5 + Math.random()));
  }
}

/** The pool waits for `onConnect` before it lends the connection, although its type does not say so. */
const hooks = { onConnect: greet };

async function greet(client: ClientBase): Promise<void> {
  // Whoever uses the connection hears of its end from the statement that fails.
  client.on('error', () => {});
  await client.query(session);
}

async function giveBack(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK');
    client.release();
  } catch {
    client.release(true);
  }
}

function describe(make: () => { readonly host: string; readonly port: number; readonly database?: string | undefined }): string {
  try {
    const { host, port, database } = make();
    return `PostgreSQL at ${host}:${port}${database ? `/${database}` : ''}`;
  } catch {
    // What the parser says may quote the URL and so the password.
    throw new ErrandError('config/invalid', 'read the store URL: it is not a valid postgres:// URL', {
      next: 'Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
    });
  }
}
