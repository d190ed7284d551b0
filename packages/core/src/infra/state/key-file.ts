import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';

const size = 32;
export const keyFileName = 'infra-state.key';

/** The key that state is sealed with, as a file of the secret store; made on first use, for its owner alone. */
export function readStateKey(directory: string): Uint8Array {
  const path = join(directory, keyFileName);
  try {
    return read(path) ?? make(directory, path);
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new ErrandError('secret/refused', `read the key of the infrastructure state, ${path}: ${what}`, {
      next: `Make ${directory} a directory that only you can read and write.`,
      cause: error,
    });
  }
}

function make(directory: string, path: string): Uint8Array {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${randomBytes(size).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Of several processes that make one at once, the first wins, and a half-written one is never seen.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = read(path);
  if (!key) throw new Error('it was removed while it was being made');
  return key;
}

function read(path: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (process.getuid && (statSync(path).mode & 0o077) !== 0) {
    throw new ErrandError('secret/refused', `read the key of the infrastructure state, ${path}: it is open to other users`, {
      next: `Run: chmod 600 ${path}`,
    });
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === size) return key;
  throw new ErrandError('secret/refused', `read the key of the infrastructure state, ${path}: it is not a key`, {
    next: 'Restore the file from a backup; without it sealed values of the state cannot be opened.',
  });
}
