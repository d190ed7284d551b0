import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isErrandError, type ErrandError, type TreeEntry } from '@errand/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listWorkspace, type ListOptions } from './list.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'errand-list-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), path);
  }
}

/** `dir/`, `file`, `link -> target`. */
async function list(options: ListOptions & { at?: string } = {}): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of listWorkspace(join(root, options.at ?? ''), options)) {
    names.push(
      entry.kind === 'link' ? `${entry.path} -> ${entry.target}` : entry.kind === 'directory' ? `${entry.path}/` : entry.path,
    );
  }
  return names;
}

async function refusal(options: ListOptions & { at?: string } = {}): Promise<ErrandError> {
  const error: unknown = await list(options).catch((caught: unknown) => caught);
  if (!isErrandError(error)) throw new Error(`expected an ErrandError, got ${String(error)}`);
  return error;
}

async function gather(entries: AsyncIterable<TreeEntry>): Promise<TreeEntry[]> {
  const all: TreeEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

async function text(entry: TreeEntry | undefined): Promise<string> {
  if (entry?.kind !== 'file') throw new Error('not a file');
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.content()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a plain directory', () => {
  test('everything, in order, empty directories and links too', async () => {
    await put('b/y', 'b/x', 'a', 'B', '.hidden', 'ü');
    await mkdir(join(root, 'empty'));
    await symlink('b/x', join(root, 'link'));
    await symlink('not-there', join(root, 'dangling'));
    await symlink('.', join(root, 'self'));
    expect(await list()).toEqual([
      '.hidden',
      'B',
      'a',
      'b/',
      'b/x',
      'b/y',
      'dangling -> not-there',
      'empty/',
      'link -> b/x',
      'self -> .',
      'ü',
    ]);
  });

  test('contents, sizes and modes', async () => {
    await put('run');
    await chmod(join(root, 'run'), 0o755);
    const [entry] = await gather(listWorkspace(root));
    expect(entry).toMatchObject({ kind: 'file', path: 'run', mode: 0o755, size: 3 });
    expect(await text(entry)).toBe('run');
  });

  test('names with newlines, quotes and spaces, a tree of 200 levels, and 3,000 files in one directory', async () => {
    const odd = ['a\nb', 'tab\t"quoted"', ' leading', '-n', 'emoji 🎉', '*'];
    const deep = `${'d/'.repeat(200)}end`;
    await put(...odd, deep);
    const names = Array.from({ length: 3_000 }, (_, i) => `many/f${i}`);
    await mkdir(join(root, 'many'));
    for (const name of names) writeFileSync(join(root, name), '');
    const found = await list();
    expect(found.filter((name) => !name.startsWith('many/') && !name.startsWith('d/'))).toEqual(odd.toSorted());
    expect(found).toContain(deep);
    expect(found.filter((name) => name.startsWith('many/f'))).toEqual(names.toSorted());
  });

  test('.errandignore, also nested', async () => {
    await put('a.log', 'keep.log', 'build/x', 'sub/a.log', 'sub/mine.log', 'sub/tmp/x', 'tmp/x');
    await writeFile(join(root, '.errandignore'), '*.log\n!keep.log\nbuild/\n');
    await writeFile(join(root, 'sub', '.errandignore'), '!mine.log\n/tmp\n');
    expect(await list()).toEqual(['.errandignore', 'keep.log', 'sub/', 'sub/.errandignore', 'sub/mine.log', 'tmp/', 'tmp/x']);
  });

  test('what must never come along', async () => {
    await put('.errand/errand.db', 'a', '.git/config', 'sub/.git/config', 'sub/b');
    expect(await list({ exclude: [join(root, '.errand')] })).toEqual(['a', 'sub/', 'sub/b']);
  });

  test('pipes and sockets are left out, with a word about it', async () => {
    await put('a');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    const warnings: string[] = [];
    expect(await list({ warn: (message) => warnings.push(message) })).toEqual(['a']);
    expect(warnings).toEqual([expect.stringContaining('pipe'), expect.stringContaining('socket')]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('refusals', () => {
  test('every link that leaves, at once, before anything is given out', async () => {
    await put('a', 'in/side');
    await symlink('/etc/passwd', join(root, 'absolute'));
    await symlink('../../x', join(root, 'in/above'));
    await symlink('..', join(root, 'in/up'));
    // Each step looks harmless as text.
    await symlink('in/up/..', join(root, 'chain'));
    const seen: TreeEntry[] = [];
    const error: unknown = await (async () => {
      for await (const entry of listWorkspace(root)) seen.push(entry);
    })().catch((caught: unknown) => caught);
    expect(seen).toEqual([]);
    expect(isErrandError(error, 'workspace/escape') && error.diagnostics.map((one) => one.message)).toEqual([
      'absolute -> /etc/passwd points out of the workspace',
      'chain -> in/up/.. points out of the workspace',
      'in/above -> ../../x points out of the workspace',
    ]);
    await writeFile(join(root, '.errandignore'), 'absolute\nabove\nchain\n');
    expect(await list()).toContain('in/up -> ..');
  });

  test('names that cannot travel', async () => {
    await writeFile(Buffer.concat([Buffer.from(join(root, 'x')), Buffer.from([0xff])]), '');
    await put(String.raw`a\b`);
    const error = await refusal();
    expect(error.code).toBe('workspace/escape');
    expect(error.diagnostics).toHaveLength(2);
  });

  test('a missing directory, and a file', async () => {
    await put('file');
    expect((await refusal({ at: 'nothing' })).code).toBe('workspace/unreadable');
    expect((await refusal({ at: 'file' })).code).toBe('workspace/unreadable');
  });

  test('a directory without permission', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may read everything');
    await put('closed/x');
    await chmod(join(root, 'closed'), 0);
    const error = await refusal();
    await chmod(join(root, 'closed'), 0o755);
    expect(error).toMatchObject({ code: 'workspace/unreadable', message: expect.stringContaining('closed') as string });
  });

  test('a signal ends it', async () => {
    await put('a');
    const reason = new Error('enough');
    await expect(list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('meanwhile', () => {
  test('a file that vanishes is not there; one that shrinks while it is read is an error; one that grows is cut', async () => {
    const many = Array.from({ length: 70 }, (_, i) => `f${String(i).padStart(2, '0')}`);
    await put(...many);
    const iterator = listWorkspace(root);
    const first = (await iterator.next()).value ?? undefined;
    await unlink(join(root, 'f69'));
    const rest = await gather(iterator);
    expect(rest).toHaveLength(68);
    const [second, third] = rest;
    await truncate(join(root, 'f00'), 1);
    await expect(text(first)).rejects.toMatchObject({ code: 'workspace/failed' });
    await unlink(join(root, 'f01'));
    await expect(text(second)).rejects.toMatchObject({ code: 'workspace/failed' });
    await writeFile(join(root, 'f02'), 'f02 and more');
    expect(await text(third)).toBe('f02');
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;
if (!hasGit && process.env['CI']) throw new Error('git is missing');
if (!hasGit) console.warn('skipped: git work trees, because git is not installed');

describe.runIf(hasGit)('a git work tree', () => {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const git = (at: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'protocol.file.allow=always', ...args], {
      cwd: join(root, at),
      env,
      stdio: 'pipe',
    });

  test('tracked and untracked files; not ignored, deleted, or in .git', async () => {
    git('', 'init', '-q');
    await put('tracked', 'gone', 'sub/deep/x', 'ignored/x', 'a.log', 'forced.log', 'tab\tüx');
    await writeFile(join(root, '.gitignore'), 'ignored\n*.log\n');
    await mkdir(join(root, 'empty'));
    git('', 'add', 'tracked', 'gone');
    git('', 'add', '-f', 'forced.log');
    await rm(join(root, 'gone'));
    await symlink('tracked', join(root, 'link'));
    expect(await list({ env })).toEqual([
      '.gitignore',
      'forced.log',
      'link -> tracked',
      'sub/',
      'sub/deep/',
      'sub/deep/x',
      'tab\tüx',
      'tracked',
    ]);
    expect(await list({ env, at: 'sub' })).toEqual(['deep/', 'deep/x']);
    await writeFile(join(root, '.errandignore'), 'deep\nforced.*\n');
    expect(await list({ env })).toEqual(['.errandignore', '.gitignore', 'link -> tracked', 'sub/', 'tab\tüx', 'tracked']);
  });

  test('a directory that git ignores as a whole is taken as it is', async () => {
    git('', 'init', '-q');
    await put('dist/a', 'dist/deep/b');
    await writeFile(join(root, '.gitignore'), 'dist\n');
    expect(await list({ env, at: 'dist' })).toEqual(['a', 'deep/', 'deep/b']);
    expect(await list({ env, at: 'dist/deep' })).toEqual(['b']);
    expect(await list({ env })).toEqual(['.gitignore']);
  });

  test('submodules and nested repositories bring their own files and rules', async () => {
    await mkdir(join(root, 'origin'));
    git('origin', 'init', '-q');
    await put('origin/in-module');
    git('origin', 'add', '.');
    git('origin', 'commit', '-qm', 'x');
    await mkdir(join(root, 'main'));
    git('main', 'init', '-q');
    git('main', 'submodule', '-q', 'add', join(root, 'origin'), 'module');
    git('main', 'submodule', '-q', 'add', join(root, 'origin'), 'absent');
    git('main', 'submodule', '-q', 'deinit', '-f', 'absent');
    await put('main/a', 'main/module/new', 'main/module/x.log', 'main/nested/b', 'main/nested/x.log', 'main/unborn/c');
    await writeFile(join(root, 'main/module/.gitignore'), '*.log\n');
    git('main/nested', 'init', '-q');
    await writeFile(join(root, 'main/nested/.gitignore'), '*.log\n');
    git('main/nested', 'add', 'b');
    git('main/nested', 'commit', '-qm', 'x');
    git('main/unborn', 'init', '-q');
    const warnings: string[] = [];
    const inModule = ['module/', 'module/.gitignore', 'module/in-module', 'module/new'];
    const inNested = ['nested/', 'nested/.gitignore', 'nested/b'];
    const expected = ['.gitmodules', 'a', 'absent/', ...inModule, ...inNested, 'unborn/', 'unborn/c'];
    expect(await list({ env, at: 'main', warn: (message) => warnings.push(message) })).toEqual(expected);
    expect(warnings).toEqual([expect.stringContaining('absent is a submodule that is not checked out')]);
    const above = await list({ env });
    expect(above).toContain('main/module/new');
    expect(above).not.toContain('main/nested/x.log');
  });

  test('variables of a git hook do not mislead it, and a broken repository is an error', async () => {
    git('', 'init', '-q');
    await put('a', 'b.log');
    await writeFile(join(root, '.gitignore'), '*.log\n');
    const other = join(root, '..', 'nowhere');
    expect(await list({ env: { ...env, GIT_DIR: other, GIT_INDEX_FILE: other, GIT_WORK_TREE: other } })).toEqual([
      '.gitignore',
      'a',
    ]);
    await writeFile(join(root, '.git', 'config'), '[broken');
    expect(await refusal({ env })).toMatchObject({ code: 'workspace/unreadable' });
  });

  test('without git, every file comes along with a warning', async () => {
    git('', 'init', '-q');
    await put('a', 'b.log');
    await writeFile(join(root, '.gitignore'), '*.log\n');
    const warnings: string[] = [];
    expect(await list({ env: { PATH: '/nowhere' }, warn: (message) => warnings.push(message) })).toEqual([
      '.gitignore',
      'a',
      'b.log',
    ]);
    expect(warnings).toHaveLength(1);
  });
});
