import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readSmall, smallRead } from '../read-small.ts';
import { sha256 } from './version.ts';
import type { Version } from './version.ts';

export type Looked =
  | { readonly version: Version | undefined; readonly stats?: Stats; readonly blocked?: undefined }
  /** Something on the way is no directory of its own: a file, or a link, which is never gone through. */
  | { readonly version: undefined; readonly blocked: string };

/** What is at a path below `root`, never through a link. Pipes, sockets and devices count as a version of no one else. */
export async function look(root: string, path: string): Promise<Looked> {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const above = path.slice(0, at);
    const stats = lstatSync(join(root, above), { throwIfNoEntry: false });
    if (!stats) return { version: undefined };
    if (!stats.isDirectory()) return { version: undefined, blocked: above };
  }
  const full = join(root, path);
  const stats = lstatSync(full, { throwIfNoEntry: false });
  if (!stats) return { version: undefined };
  if (stats.isDirectory()) return { version: { kind: 'directory' }, stats };
  if (stats.isSymbolicLink()) return { version: { kind: 'link', target: readlinkSync(full) }, stats };
  if (!stats.isFile()) return { version: { kind: 'file', mode: stats.mode & 0o777, size: stats.size, sha256: '' }, stats };
  const digest = stats.size <= smallRead ? sha256(readSmall(full, stats.size)) : await hashFile(full);
  return { version: { kind: 'file', mode: stats.mode & 0o777, size: stats.size, sha256: digest }, stats };
}

async function hashFile(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const hash = createHash('sha256');
  for await (const bytes of file.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Nobody wrote to it since it was looked at, as far as the file system tells. */
export function isStill(path: string, stats: Stats): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return (
    now !== undefined &&
    now.ino === stats.ino &&
    now.size === stats.size &&
    now.mtimeMs === stats.mtimeMs &&
    now.ctimeMs === stats.ctimeMs
  );
}
