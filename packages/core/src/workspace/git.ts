// What git would take along: tracked and untracked-but-not-ignored files. Git itself is asked; nothing in the
// repository gets to run a program of its own choice while it answers.
import { spawn } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ErrandError } from '@errand/contract';

/** Relative to the directory that was asked about. */
export interface GitListing {
  /** Files and links; also submodules and nested repositories, which are directories. */
  readonly files: ReadonlySet<string>;
  /** Every directory above one of them. */
  readonly directories: ReadonlySet<string>;
}

/** Set inside hooks; they would make git answer about another repository. */
const misleading: ReadonlySet<string> = new Set(
  'DIR WORK_TREE INDEX_FILE OBJECT_DIRECTORY ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR NAMESPACE PREFIX CEILING_DIRECTORIES LITERAL_PATHSPECS'
    .split(' ')
    .map((name) => `GIT_${name}`),
);

export interface GitOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** Undefined when the directory as a whole is something that git ignores: then git has no opinion on what is in it. */
export async function listGit(directory: string, options: GitOptions): Promise<GitListing | 'no-git' | undefined> {
  const files = new Set<string>();
  const directories = new Set<string>();
  const asked = await ask(directory, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options, (path) => {
    const plain = path.endsWith('/') ? path.slice(0, -1) : path;
    files.add(plain);
    for (let at = plain.lastIndexOf('/'); at > 0; at = plain.lastIndexOf('/', at - 1)) {
      const above = plain.slice(0, at);
      if (directories.has(above)) break;
      directories.add(above);
    }
  });
  if (asked === 'no-git') return 'no-git';
  if (asked.code !== 0) {
    throw new ErrandError('workspace/unreadable', `cannot list the workspace ${directory}: git ls-files failed: ${asked.said}`, {
      next: 'Make `git status` work in that directory, or remove its .git to have every file taken.',
    });
  }
  if (files.size > 0) return { files, directories };
  const ignored = await ask(directory, ['check-ignore', '-q', '.'], options, () => {});
  return ignored !== 'no-git' && ignored.code === 0 ? undefined : { files, directories };
}

/** True when `directory` lies in a git work tree; git is not needed to tell. */
export async function isInGit(directory: string): Promise<boolean> {
  for (let at = directory; ; at = dirname(at)) {
    if (await isRepository(at)) return true;
    if (dirname(at) === at) return false;
  }
}

export async function isRepository(directory: string): Promise<boolean> {
  const mark = join(directory, '.git');
  const info = await lstat(mark).catch(() => undefined);
  if (!info) return false;
  if (!info.isDirectory()) return true;
  return lstat(join(mark, 'HEAD')).then(
    () => true,
    () => false,
  );
}

export function gitEnvironment(env: GitOptions['env']): Record<string, string | undefined> {
  const plain = Object.fromEntries(Object.entries(env).filter(([name]) => !misleading.has(name)));
  return { ...plain, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

async function ask(
  directory: string,
  args: readonly string[],
  options: GitOptions,
  each: (path: string) => void,
): Promise<{ readonly code: number | null; readonly said: string } | 'no-git'> {
  const child = spawn('git', ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', ...args], {
    cwd: directory,
    env: gitEnvironment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: options.signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // The failure is looked at below; until then it must not count as unhandled.
  ended.catch(() => {});
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 500);
  });
  let rest = '';
  child.stdout.setEncoding('utf8');
  try {
    for await (const text of child.stdout as AsyncIterable<string>) {
      const paths = (rest + text).split('\0');
      rest = paths.pop() ?? '';
      for (const path of paths) each(path);
    }
    return { code: await ended, said: said.trim() };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'no-git';
    throw error;
  }
}
