import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIgnoreRules } from './ignored.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'errand-ignored-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = (at: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'protocol.file.allow=always', ...args], {
    cwd: join(root, at),
    env,
    stdio: 'pipe',
  });

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** Those of the paths that stay behind. */
async function leftOut(paths: readonly string[], at = '', variables: Readonly<Record<string, string | undefined>> = env) {
  await using rules = await openIgnoreRules({ root: join(root, at), excluded: new Set(), env: variables });
  const out: string[] = [];
  for (const path of paths) if (await rules.leavesOut(path)) out.push(path);
  return out;
}

const hasGit = spawnSync('git', ['--version']).status === 0;
if (!hasGit && process.env['CI']) throw new Error('git is missing');
if (!hasGit) console.warn('skipped: git’s ignore rules, because git is not installed');

describe.runIf(hasGit)('git’s rules, for files that are not here', () => {
  test('patterns, negations, directories, names with newlines', async () => {
    git('', 'init', '-q');
    await put({ '.gitignore': 'node_modules/\n*.log\n!keep.log\n/dist\n', 'sub/.gitignore': 'own\n' });
    const ignored = [
      'node_modules/a/b.js',
      'deep/node_modules/x',
      'a.log',
      'line\nbreak.log',
      'dist/x',
      'sub/own',
      'sub/own/x',
      ':(glob)x.log',
    ];
    const taken = ['src/a', 'keep.log', 'sub/dist/x', 'own', 'node_modules', 'ünï', ' ', '-n', ':(top)x', '!x'];
    expect(await leftOut([...ignored, ...taken])).toEqual(ignored);
  });

  test('a repository inside has its own say, and a submodule that is not checked out ends nothing', async () => {
    await mkdir(join(root, 'origin'));
    git('origin', 'init', '-q');
    await put({ 'origin/x': 'x' });
    git('origin', 'add', '.');
    git('origin', 'commit', '-qm', 'x');
    await mkdir(join(root, 'main/nested'), { recursive: true });
    git('main', 'init', '-q');
    git('main', 'submodule', '-q', 'add', join(root, 'origin'), 'absent');
    git('main', 'submodule', '-q', 'deinit', '-f', 'absent');
    git('main/nested', 'init', '-q');
    await put({ 'main/.gitignore': '*.outer\n', 'main/nested/.gitignore': '*.inner\n' });
    const paths = ['a.outer', 'a.inner', 'nested/a.outer', 'nested/deep/a.inner', 'absent/a.outer', 'absent/b'];
    expect(await leftOut(paths, 'main')).toEqual(['a.outer', 'nested/deep/a.inner', 'absent/a.outer']);
  });

  test('a directory that git ignores as a whole has no rules, a link on the way is not asked about, and git may be missing', async () => {
    git('', 'init', '-q');
    await put({ '.gitignore': 'dist\n*.log\n', 'dist/a': '' });
    await symlink('dist', join(root, 'link'));
    expect(await leftOut(['b.log', 'c'], 'dist')).toEqual([]);
    expect(await leftOut(['link/b', 'b.log'])).toEqual(['b.log']);
    expect(await leftOut(['b.log'], '', { PATH: '/nowhere' })).toEqual([]);
  });

  test('a repository that is broken is an error, not a silence', async () => {
    git('', 'init', '-q');
    await put({ '.git/config': '[broken' });
    await expect(leftOut(['a'])).rejects.toMatchObject({ code: 'workspace/unreadable' });
  });
});
