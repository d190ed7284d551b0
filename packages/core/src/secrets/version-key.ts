import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const size = 32;

/**
 * What this installation tells versions of secrets apart with; made on first use. Without it a version says nothing
 * about the value, so a guess at the value cannot be checked against a store that was copied.
 */
export function readVersionKey(home: string): Uint8Array {
  const path = join(home, 'secret-versions.key');
  const known = read(path);
  if (known) return known;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, randomBytes(size), { mode: 0o600, flag: 'wx' });
    // Of several processes that make one at once, the first wins, and a half-written one is never seen.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

function read(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
