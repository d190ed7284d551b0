import { readdirSync, rmSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isAbsent } from './files.ts';

/** Removes a place's directory whatever a job did to it, read-only directories included. Gone already is fine. */
export async function removePlace(dir: string): Promise<void> {
  if (isSmall(dir)) {
    try {
      // Removing a dozen files at once takes less time than handing the work to another thread.
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch {
      // The patient way finds out why.
    }
  }
  await removeTree(dir);
}

export async function removeTree(dir: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await rm(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      const code = codeOf(error);
      const worthwhile = code === 'EACCES' || code === 'EPERM' || code === 'ENOTEMPTY';
      if (!worthwhile || attempt === 3) throw error;
      await unlock(dir);
    }
  }
}

function isSmall(dir: string): boolean {
  try {
    return readdirSync(join(dir, 'work')).length === 0 && readdirSync(join(dir, 'jobs')).length < 10;
  } catch {
    return false;
  }
}

/** Makes every directory writable; links are left alone. */
async function unlock(dir: string): Promise<void> {
  try {
    if (!(await lstat(dir)).isDirectory()) return;
    await chmod(dir, 0o700);
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      if (entry.isDirectory()) await unlock(join(dir, entry.name));
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
