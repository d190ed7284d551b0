import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { chmod, lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isAbsent } from './files.ts';

/** Removes a directory whatever a job did to it, read-only directories included. Gone already is fine. */
export async function removeTree(dir: string): Promise<void> {
  try {
    if (await removeSmall(dir)) return;
  } catch {
    // Something is in the way; the patient way finds out what.
  }
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

const few = 64;
/** Bytes whose removal takes long enough to be left to another thread too. */
const large = 1024 * 1024;

/**
 * Most places hold a dozen files, and `rm` would take a turn of the event loop or two for each. A file goes at once;
 * the directories are left to other threads, because some file systems make the caller wait for those.
 */
async function removeSmall(dir: string): Promise<boolean> {
  const files: string[] = [];
  const levels: string[][] = [];
  let seen = 0;
  const list = (path: string, depth: number) => {
    (levels[depth] ??= []).push(path);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      seen += 1;
      if (seen > few) return;
      const child = join(path, entry.name);
      if (entry.isDirectory()) list(child, depth + 1);
      else files.push(child);
    }
  };
  list(dir, 0);
  if (seen > few) return false;
  for (const file of files) {
    if (lstatSync(file).size > large) await unlink(file);
    else unlinkSync(file);
  }
  for (const level of levels.toReversed()) await Promise.all(level.map((path) => rmdir(path)));
  return true;
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
