// Brings collected files below a directory of the person. What comes in was made by a job, so it is trusted in nothing:
// no name leaves the directory, nothing is written through a link, and no file is ever seen half-written.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { ErrandError, isErrandError, safeLink, safePath, type TreeEntry } from '@errand/contract';

export interface DeliverOptions {
  readonly signal?: AbortSignal;
  /** The run. What an earlier, interrupted delivery with the same key left half-written is removed. */
  readonly key?: string;
}

export interface Delivered {
  /** Files and links. */
  readonly files: number;
  readonly bytes: number;
}

/** Existing files are replaced, one at a time and as a whole; repeating it after a crash gives the same files. */
export async function deliver(entries: AsyncIterable<TreeEntry>, out: string, options: DeliverOptions = {}): Promise<Delivered> {
  const name = `.errand-${options.key?.replaceAll(/[^\w-]/g, '_') ?? 'deliver'}-`;
  let files = 0;
  let bytes = 0;
  let at = out;
  let temporary: string | undefined;
  try {
    await mkdir(out, { recursive: true });
    const root = await realpath(out);
    if (options.key !== undefined) await removeLeftovers(root, name);
    temporary = join(root, `${name}${randomBytes(6).toString('hex')}.part`);
    const checked = new Set<string>();
    for await (const entry of fromProvider(entries)) {
      options.signal?.throwIfAborted();
      const path = safePath(entry.path);
      at = join(root, path);
      if (entry.kind === 'directory') {
        await enter(root, path, checked, (entry.mode & 0o777) | 0o700);
        continue;
      }
      await enter(root, dirname(path), checked);
      if (entry.kind === 'link') await symlink(plainTarget(path, entry.target), temporary);
      else bytes += await write(entry, temporary, options.signal);
      await rename(temporary, at);
      files += 1;
    }
    return { files, bytes };
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => {});
    options.signal?.throwIfAborted();
    throw asErrandError(error, at, out);
  }
}

/** Makes the directory and those above it. One that is there is kept as it is; a link in its place is refused. */
async function enter(root: string, path: string, checked: Set<string>, mode = 0o777): Promise<void> {
  if (path === '.' || checked.has(path)) return;
  await enter(root, dirname(path), checked);
  const full = join(root, path);
  const there = await lstat(full).catch(() => undefined);
  if (there && !there.isDirectory()) {
    const what = there.isSymbolicLink() ? 'a symbolic link' : 'a file';
    throw new ErrandError('workspace/failed', `cannot write below ${full}: it is ${what}, not a directory`, {
      next: 'Remove it, or name another directory with --out.',
    });
  }
  if (!there) {
    await mkdir(full, { mode });
    if (mode !== 0o777) await chmod(full, mode);
  }
  checked.add(path);
}

async function write(
  entry: Extract<TreeEntry, { kind: 'file' }>,
  temporary: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await using handle = await open(temporary, flags, 0o600);
  let bytes = 0;
  for await (const chunk of fromProvider(entry.content())) {
    signal?.throwIfAborted();
    await handle.writeFile(chunk);
    bytes += chunk.length;
  }
  await handle.chmod(entry.mode & 0o777);
  return bytes;
}

/** A provider's failure must not be taken for one of our own disk. */
async function* fromProvider<T>(source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    if (isErrandError(error) || (error instanceof Error && error.name === 'AbortError')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ErrandError('workspace/failed', `cannot collect files: the provider stopped giving them: ${why}`, {
      next: 'Try to collect again; the files that came before are complete.',
      cause: error,
    });
  }
}

/** `a/../b` becomes `b`: when `a` is a link itself, going up behind it could lead out of the directory. */
function plainTarget(path: string, target: string): string {
  return posix.normalize(safeLink(path, target));
}

async function removeLeftovers(root: string, name: string): Promise<void> {
  for (const entry of await readdir(root)) {
    if (entry.startsWith(name) && entry.endsWith('.part')) await rm(join(root, entry), { force: true });
  }
}

function asErrandError(error: unknown, at: string, out: string): unknown {
  if (isErrandError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ErrandError('disk/full', `cannot write ${at}: the disk is full`, {
      next: `Make room below ${out}, or name another directory with --out.`,
      cause: error,
    });
  }
  const why =
    { EISDIR: 'a directory is in its place', EACCES: 'permission denied', EROFS: 'the disk is read-only' }[code] ?? code;
  return new ErrandError('workspace/failed', `cannot write ${at}: ${why}`, {
    next: 'Correct that, or name another directory with --out.',
    cause: error,
  });
}
