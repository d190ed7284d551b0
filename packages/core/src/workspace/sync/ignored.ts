// Whether a file that the job made would have been left out on the way in: then it stays behind on the way out too.
// The rules are those of the workspace as it is here; what the job made of them counts from the next run on.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGone, unreadable } from '../walk.ts';
import { isIgnored, parseIgnore } from '../ignore.ts';
import type { IgnoreFile } from '../ignore.ts';
import { isInGit, isRepository } from '../git.ts';
import { openCheckIgnore } from '../git-check-ignore.ts';
import type { CheckIgnore } from '../git-check-ignore.ts';

export interface IgnoreRules extends AsyncDisposable {
  /** For a path that was not among what went in. */
  leavesOut(path: string): Promise<boolean>;
}

export interface RulesOptions {
  /** Absolute and real. */
  readonly root: string;
  /** Relative to it. */
  readonly excluded: ReadonlySet<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function openIgnoreRules({ root, excluded, env }: RulesOptions): Promise<IgnoreRules> {
  const files = new Map<string, IgnoreFile | undefined>();
  const repositories = new Map<string, string>();
  const directories = new Map<string, boolean>();
  const real = new Map<string, boolean>([['', true]]);
  const checks = new Map<string, CheckIgnore | undefined>();
  checks.set('', (await isInGit(root)) ? await openCheckIgnore(root, env) : undefined);

  /** A directory of its own, all the way down: behind a link there are no rules of this workspace. */
  function isReal(directory: string): boolean {
    const known = real.get(directory);
    if (known !== undefined) return known;
    const found =
      isReal(parentOf(directory)) && lstatSync(join(root, directory), { throwIfNoEntry: false })?.isDirectory() === true;
    real.set(directory, found);
    return found;
  }

  function ignoreFile(directory: string): IgnoreFile | undefined {
    if (!isReal(directory)) return undefined;
    if (!files.has(directory)) files.set(directory, readIgnoreFile(root, directory));
    return files.get(directory);
  }

  /** `above` are the directories over the path, from the root downwards. */
  function byErrand(path: string, above: readonly string[]): boolean {
    const known: IgnoreFile[] = [];
    const steps = [...above.slice(1), path];
    return steps.some((step, index) => {
      const own = ignoreFile(above[index] ?? '');
      if (own) known.push(own);
      return isIgnored(known, step, step !== path);
    });
  }

  /** The innermost repository that is here; undefined when a link is on the way, which git refuses to judge. */
  async function repositoryOf(above: readonly string[]): Promise<string | undefined> {
    let found = '';
    for (const directory of above.slice(1)) {
      const known = repositories.get(directory);
      if (known !== undefined) {
        found = known;
        continue;
      }
      const stats = lstatSync(join(root, directory), { throwIfNoEntry: false });
      if (stats?.isSymbolicLink()) return undefined;
      if (!stats?.isDirectory()) break;
      if (await isRepository(join(root, directory))) found = directory;
      repositories.set(directory, found);
    }
    return found;
  }

  async function byGit(path: string, above: readonly string[]): Promise<boolean> {
    const repository = await repositoryOf(above);
    if (repository === undefined) return false;
    if (!checks.has(repository)) checks.set(repository, await openCheckIgnore(join(root, repository), env));
    const check = checks.get(repository);
    if (!check) return false;
    const below = (one: string) => (repository === '' ? one : one.slice(repository.length + 1));
    // Directories first, each asked about once: below an ignored one nothing can be taken back.
    for (const directory of above.filter((one) => one.length > repository.length)) {
      const ignored = directories.get(directory) ?? (await check.ask(`${below(directory)}/`));
      directories.set(directory, ignored);
      if (ignored) return true;
    }
    return check.ask(below(path));
  }

  return {
    async leavesOut(path) {
      const above = ['', ...parentsOf(path)];
      // A job must not get to write into a repository's own files, its hooks first of all; some disks do not tell case apart.
      if (path.split('/').some((part) => part.toLowerCase() === '.git')) return true;
      if ([...above, path].some((one) => excluded.has(one))) return true;
      return byErrand(path, above) || (await byGit(path, above));
    },
    async [Symbol.asyncDispose]() {
      for (const check of checks.values()) await check?.[Symbol.asyncDispose]();
    },
  };
}

function readIgnoreFile(root: string, directory: string): IgnoreFile | undefined {
  const full = join(root, directory, '.errandignore');
  try {
    if (!lstatSync(full, { throwIfNoEntry: false })?.isFile()) return undefined;
    return parseIgnore(readFileSync(full, 'utf8'), directory);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw unreadable(full, error);
  }
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function* parentsOf(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) yield path.slice(0, at);
}
