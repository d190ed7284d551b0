import { constants, lstatSync, type Stats } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { ErrandError, type TreeEntry } from '@errand/contract';
import { isInGit, listGit } from './git.ts';
import { readSmall, smallRead } from './read-small.ts';
import { isGone, unreadable, walk, type Found } from './walk.ts';

export interface ListOptions {
  readonly signal?: AbortSignal;
  /** Absolute paths that are never taken along, such as Errand's own data directory. */
  readonly exclude?: readonly string[];
  readonly warn?: (message: string) => void;
  /** For git; the process's own when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The files of a workspace in order, parents first. Nothing is given out before the whole tree was looked at once, so
 * a link that leaves the workspace stops it before anything is copied. Holds names in memory, never contents.
 */
export async function* listWorkspace(directory: string, options: ListOptions = {}): AsyncGenerator<TreeEntry, void, undefined> {
  const { signal } = options;
  const env = options.env ?? process.env;
  const warn = options.warn ?? (() => {});
  const root = await openRoot(directory);
  const excluded = await relativeTo(root, directory, options.exclude ?? []);

  const answer = (await isInGit(root)) ? await listGit(root, { env, signal }) : undefined;
  if (answer === 'no-git') warn('git is not installed, so files that .gitignore names are taken along too');
  const walked = await walk({ root, excluded, env, signal, warn }, answer === 'no-git' ? undefined : answer);
  if (walked.problems.length > 0) throw refused(root, walked.problems);

  for (const found of walked.found) {
    signal?.throwIfAborted();
    const entry = look(root, found, signal);
    if (entry) yield entry;
  }
}

async function openRoot(directory: string): Promise<string> {
  try {
    const root = await realpath(directory);
    if ((await lstat(root)).isDirectory()) return root;
  } catch (error) {
    throw unreadable(directory, error);
  }
  throw new ErrandError('workspace/unreadable', `cannot use ${directory} as a workspace: it is not a directory`, {
    next: 'Name a directory.',
  });
}

export async function relativeTo(root: string, directory: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const result = new Set<string>();
  for (const path of paths) {
    const real = await realpath(path).catch(() => resolve(path));
    for (const way of [relative(root, real), relative(resolve(directory), resolve(path))]) result.add(way.split(sep).join('/'));
  }
  return result;
}

/**
 * Sizes and modes, shortly before they are given out. Undefined when it vanished since the first pass. Blocking: a look at
 * what the first pass brought into memory is over sooner than a thread could begin one.
 */
function look(root: string, found: Found, signal: AbortSignal | undefined): TreeEntry | undefined {
  if (found.kind === 'link') return found;
  const local = join(root, found.path);
  let info: Stats;
  try {
    info = lstatSync(local);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw unreadable(local, error);
  }
  const mode = info.mode & 0o777;
  if (found.kind === 'directory' && info.isDirectory()) return { kind: 'directory', path: found.path, mode };
  if (found.kind === 'file' && info.isFile()) {
    return { kind: 'file', path: found.path, mode, size: info.size, local, content: () => read(local, info.size, signal) };
  }
  throw changed(found.path);
}

/** Exactly as many bytes as were promised: a file that grows meanwhile is cut there, one that shrinks is an error. */
async function* read(local: string, size: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  let given = 0;
  try {
    if (size <= smallRead) {
      const bytes = readSmall(local, size);
      if (bytes.length < size) throw changed(local);
      if (size > 0) yield bytes;
      return;
    }
    await using handle = await open(local, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    while (given < size) {
      signal?.throwIfAborted();
      const buffer = Buffer.allocUnsafe(Math.min(256 * 1024, size - given));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, given);
      if (bytesRead === 0) throw changed(local);
      given += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    if (error instanceof ErrandError || signal?.aborted) throw error;
    if (isGone(error) || (error instanceof Error && 'code' in error && error.code === 'ELOOP')) throw changed(local);
    throw unreadable(local, error);
  }
}

function changed(path: string): ErrandError {
  return new ErrandError('workspace/failed', `cannot copy ${path}: it changed while it was being copied`, {
    next: 'Run it again when nothing writes to the workspace, or name the file in .errandignore.',
  });
}

function refused(root: string, problems: readonly string[]): ErrandError {
  const more = problems.length > 10 ? ` and ${problems.length - 10} more` : '';
  return new ErrandError(
    'workspace/escape',
    `cannot take the workspace ${root} along: ${problems.slice(0, 10).join('; ')}${more}`,
    {
      next: 'Copy what a link points to into the workspace, rename the file, or name it in .errandignore.',
      diagnostics: problems.map((message) => ({ severity: 'error', message, file: root })),
    },
  );
}
