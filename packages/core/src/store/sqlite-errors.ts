import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ErrandError, isErrandError } from '@errand/contract';

// Primary result codes of SQLite; an extended code carries one in its low byte.
const PERM = 3;
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** Somebody else is in the way for now. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === PROTOCOL;
}

export function sqliteError(error: unknown, path: string): ErrandError {
  if (isErrandError(error)) return error;
  const code = resultCode(error);
  const said = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  if (code === CORRUPT || code === NOTADB) {
    return new ErrandError(
      'store/corrupt',
      `opened the store ${path}: it is damaged or not a database (${said}); nothing was deleted`,
      {
        ...options,
        next: `Restore ${path} from a backup, or move it aside together with its -wal and -shm files to begin with an empty store.`,
      },
    );
  }
  // SQLite reports a full disk as such only for some of its files.
  if (code === FULL || ((code === IOERR || code === CANTOPEN) && isFull(path))) return diskFull(path, options);
  if (code === PERM || code === READONLY || code === CANTOPEN) return unwritable(path, said, options);
  if (isBusy(error)) {
    const next = 'Try again; if it stays so, look for a stopped Errand process that holds the store.';
    return new ErrandError('store/busy', `waited for the store ${path}: another process kept it locked`, { ...options, next });
  }
  return new ErrandError('internal/bug', `the store ${path} refused a statement: ${said}`, options);
}

/** For what goes wrong before SQLite is asked: making the directory and the file. */
export function fileError(error: unknown, path: string): ErrandError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(path, { cause: error });
  return unwritable(path, code ?? message, { cause: error });
}

function diskFull(path: string, options: { readonly cause: unknown }) {
  const next = `Free some space on the disk of ${dirname(path)}, then try again.`;
  return new ErrandError('disk/full', `wrote to the store ${path}: the disk is full; nothing was half-written`, {
    ...options,
    next,
  });
}

function unwritable(path: string, said: string, options: { readonly cause: unknown }) {
  const next = `Make ${dirname(path)} a directory that you may write to, or name another one with ERRAND_HOME.`;
  return new ErrandError('home/unwritable', `opened the store ${path} for writing: ${said}`, { ...options, next });
}

/** Less than SQLite's shared-memory file and a few pages need. */
const room = 128 * 1024;

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < room;
  } catch {
    return false;
  }
}
