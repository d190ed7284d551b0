// The first pass over a workspace: names and kinds only, in order. It is complete before anything is copied, so that
// every link that leaves the workspace can be named at once.
import type { Dirent } from 'node:fs';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrandError, safeLink, safePath } from '@errand/contract';
import { isRepository, listGit, type GitListing } from './git.ts';
import { isIgnored, parseIgnore, type IgnoreFile } from './ignore.ts';

export type Found =
  | { readonly kind: 'file' | 'directory'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

export interface Walk {
  /** Absolute and real. */
  readonly root: string;
  /** Paths relative to the root that are left out with all that is below them. */
  readonly excluded: ReadonlySet<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
}

/** What is true for everything below one directory. */
interface Scope {
  readonly ignores: readonly IgnoreFile[];
  /** Only what this repository lists is taken; everything when undefined. */
  readonly git: { readonly base: string; readonly listing: GitListing } | undefined;
}

export interface Walked {
  readonly found: readonly Found[];
  /** One sentence for each name or link that cannot be taken along. */
  readonly problems: readonly string[];
}

export async function walk(context: Walk, listing: GitListing | undefined): Promise<Walked> {
  const found: Found[] = [];
  const problems: string[] = [];

  async function enter(directory: string, scope: Scope): Promise<void> {
    context.signal?.throwIfAborted();
    const entries = await readEntries(context.root, directory);
    const ignores = entries.some((entry) => entry.name === '.errandignore' && entry.isFile())
      ? [...scope.ignores, parseIgnore(await readIgnore(context.root, directory), directory)]
      : scope.ignores;
    for (const entry of entries)
      await take(entry, directory === '' ? entry.name : `${directory}/${entry.name}`, { ...scope, ignores });
  }

  async function take(entry: Dirent, path: string, scope: Scope): Promise<void> {
    if (entry.name === '.git' || context.excluded.has(path)) return;
    const inGit = scope.git && (scope.git.base === '' ? path : path.slice(scope.git.base.length + 1));
    const listed = inGit === undefined || scope.git?.listing.files.has(inGit) === true;
    const above = inGit !== undefined && scope.git?.listing.directories.has(inGit) === true;
    if (!listed && !(above && entry.isDirectory())) return;
    if (isIgnored(scope.ignores, path, entry.isDirectory())) return;
    const problem = nameProblem(path);
    if (problem) problems.push(problem);
    else if (entry.isDirectory()) await takeDirectory(path, { scope, listed: inGit !== undefined && listed, above });
    else if (entry.isSymbolicLink()) await takeLink(path);
    else if (entry.isFile()) found.push({ kind: 'file', path });
    else context.warn(`left out ${path}: it is a socket, pipe or device`);
  }

  async function takeDirectory(path: string, at: { scope: Scope; listed: boolean; above: boolean }): Promise<void> {
    found.push({ kind: 'directory', path });
    const own = at.scope.git === undefined || at.listed ? await nested(path) : undefined;
    if (own) return enter(path, { ...at.scope, git: { base: path, listing: own } });
    if (at.scope.git === undefined || at.above) return enter(path, at.scope);
    // Git names a directory only for a repository inside the repository, and this one has no files of its own.
    context.warn(`${path} is a submodule that is not checked out; run \`git submodule update --init\` to take its files along`);
  }

  /** The listing of a repository inside the workspace: a submodule, or a clone in a plain directory. */
  async function nested(path: string): Promise<GitListing | undefined> {
    const directory = join(context.root, path);
    if (!(await isRepository(directory))) return undefined;
    const answer = await listGit(directory, context);
    return answer === 'no-git' ? undefined : answer;
  }

  async function takeLink(path: string): Promise<void> {
    const full = join(context.root, path);
    try {
      const target = await readlink(full);
      safeLink(path, target);
      // Text alone cannot tell where `a/..` leads when `a` is a link itself.
      const real = await realpath(full).catch(() => undefined);
      if (real !== undefined && real !== context.root && !real.startsWith(`${context.root}/`)) {
        problems.push(`${path} -> ${target} points out of the workspace`);
      } else found.push({ kind: 'link', path, target });
    } catch (error) {
      if (error instanceof ErrandError) problems.push(`${path} -> ${await readlink(full)} points out of the workspace`);
      else if (!isGone(error)) throw unreadable(full, error);
    }
  }

  await enter('', { ignores: [], git: listing && { base: '', listing } });
  return { found, problems };
}

async function readEntries(root: string, directory: string): Promise<Dirent[]> {
  const full = join(root, directory);
  try {
    const entries = await readdir(full, { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (directory !== '' && isGone(error)) return [];
    throw unreadable(full, error);
  }
}

async function readIgnore(root: string, directory: string): Promise<string> {
  const full = join(root, directory, '.errandignore');
  return readFile(full, 'utf8').catch((error: unknown) => {
    if (isGone(error)) return '';
    throw unreadable(full, error);
  });
}

/** Names that cannot travel: the far side refuses them, or they cannot be said as text. */
function nameProblem(path: string): string | undefined {
  if (path.includes('\u{FFFD}')) return `${path} has a name that is not UTF-8`;
  try {
    safePath(path);
    return undefined;
  } catch {
    return `${JSON.stringify(path)} has a backslash in its name`;
  }
}

/** Somebody removed it between the listing and the look: as if it had never been there. */
export function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export function unreadable(path: string, error: unknown): ErrandError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const why = { ENOENT: 'it does not exist', ENOTDIR: 'it is not a directory', EACCES: 'permission denied' }[code] ?? code;
  return new ErrandError('workspace/unreadable', `cannot read ${path} in the workspace: ${why}`, {
    next: 'Correct the path or its permissions, or name it in .errandignore.',
    cause: error,
  });
}
