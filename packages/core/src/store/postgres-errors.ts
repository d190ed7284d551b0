import { ErrandError, isErrandError } from '@errand/contract';

/** `conflict`: another transaction won, repeat. `lost`: the connection is gone. */
export type Trouble = 'conflict' | 'lost' | 'other';

/** SQLSTATE, when the server itself said it; errors of the connection carry none. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return String(error.code);
}

const serializationFailure = '40001';
const deadlock = '40P01';
const lockNotAvailable = '55P03';
const diskFull = '53100';
/** Shut down by an administrator, crashed, starting up, idle for too long inside a transaction. */
const gone = new Set(['57P01', '57P02', '57P03', '25P03']);

export function troubleOf(error: unknown): Trouble {
  if (isErrandError(error)) return 'other';
  const state = sqlState(error);
  if (state === undefined || state.startsWith('08') || gone.has(state)) return 'lost';
  return state === serializationFailure || state === deadlock ? 'conflict' : 'other';
}

/** `place` names host, port and database, never the password. The server's detail may quote a row, so it is left out. */
export function postgresError(error: unknown, place: string): ErrandError {
  if (isErrandError(error)) return error;
  const state = sqlState(error);
  const said = error instanceof Error ? error.message || nameOf(error) : 'unknown error';
  if (troubleOf(error) === 'lost' || state?.startsWith('53300')) {
    const next = 'Check that the server runs and can be reached from here, then try again.';
    return new ErrandError('store/unreachable', `could not reach ${place}: ${said}`, { next });
  }
  if (state === diskFull) {
    const next = 'Free some space on the disk of the database server, then try again.';
    return new ErrandError('disk/full', `wrote to ${place}: its disk is full`, { next });
  }
  if (state === lockNotAvailable || troubleOf(error) === 'conflict') {
    const next = 'Try again; if it stays so, look for a session that holds a lock (pg_locks).';
    return new ErrandError('store/busy', `waited for ${place}: ${said}`, { next });
  }
  if (state !== undefined && isRefusal(state)) {
    const next = 'Check user, password, database name and rights in the store URL; the user must own the schema `errand`.';
    return new ErrandError('store/unreachable', `${place} refused us: ${said}`, { next, retry: 'never' });
  }
  return new ErrandError('internal/bug', `${place} refused a statement: ${said} (SQLSTATE ${state})`);
}

/** Wrong user or password, no such database, no right to the table, a server that takes no writes. */
function isRefusal(state: string): boolean {
  return state.startsWith('28') || state === '3D000' || state === '42501' || state === '25006';
}

/** A failed connection to several addresses has no message of its own. */
function nameOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}
