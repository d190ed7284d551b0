import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { safeLink, safePath, type TreeEntry } from '@errand/contract';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliver } from './deliver.ts';

let base: string;
let out: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'errand-deliver-'));
  out = join(base, 'out');
});
afterEach(() => rm(base, { recursive: true, force: true }));

const file = (path: string, text = path, mode = 0o644): TreeEntry => ({
  kind: 'file',
  path,
  mode,
  size: text.length,
  content: async function* () {
    yield Buffer.from(text);
  },
});
const link = (path: string, target: string): TreeEntry => ({ kind: 'link', path, target });
const directory = (path: string, mode = 0o755): TreeEntry => ({ kind: 'directory', path, mode });

async function* stream(...entries: TreeEntry[]): AsyncGenerator<TreeEntry> {
  yield* entries;
}

const all = async () => (await readdir(out, { recursive: true })).toSorted();

describe('what arrives', () => {
  test('files, directories and links, with their modes but never setuid', async () => {
    const entries = [
      directory('d', 0o500),
      file('d/run', 'x', 0o4755),
      file('deep/er/secret', 'yy', 0o600),
      link('d/back', '../deep/er/secret'),
    ];
    expect(await deliver(stream(...entries), out)).toEqual({ files: 3, bytes: 3 });
    expect((await stat(join(out, 'd/run'))).mode & 0o7777).toBe(0o755);
    expect((await stat(join(out, 'deep/er/secret'))).mode & 0o7777).toBe(0o600);
    expect((await stat(join(out, 'd'))).mode & 0o7777).toBe(0o700);
    expect(await readFile(join(out, 'd/back'), 'utf8')).toBe('yy');
    expect(await all()).toEqual(['d', 'd/back', 'd/run', 'deep', 'deep/er', 'deep/er/secret']);
  });

  test('again gives the same, and replaces what is there, links themselves included', async () => {
    await mkdir(out);
    await writeFile(join(base, 'precious'), 'precious');
    await symlink('../precious', join(out, 'a'));
    await writeFile(join(out, 'mine'), 'mine');
    for (const _ of [1, 2]) await deliver(stream(file('a'), file('b/c'), link('l', 'a')), out, { key: 'run-1' });
    expect(await readFile(join(base, 'precious'), 'utf8')).toBe('precious');
    expect((await lstat(join(out, 'a'))).isFile()).toBe(true);
    expect(await all()).toEqual(['a', 'b', 'b/c', 'l', 'mine']);
  });

  test('leftovers of an interrupted delivery of the same run go, those of others stay', async () => {
    await mkdir(out);
    await writeFile(join(out, '.errand-run-1-aa.part'), 'half');
    await writeFile(join(out, '.errand-run-2-bb.part'), 'half');
    await deliver(stream(file('a')), out, { key: 'run-1' });
    expect(await all()).toEqual(['.errand-run-2-bb.part', 'a']);
  });
});

describe('refusals', () => {
  test.each([file('../x'), file('/x'), file('a/../../x'), file('a//x'), link('l', '/etc/passwd'), link('a/l', '../../x')])(
    '%j',
    async (entry) => {
      await expect(deliver(stream(file('first'), entry), out)).rejects.toMatchObject({ code: 'workspace/escape' });
      expect(await readdir(base)).toEqual(['out']);
    },
  );

  test('never through a link, whether it was there or came along', async () => {
    await mkdir(join(base, 'elsewhere'));
    await mkdir(out);
    await symlink('../elsewhere', join(out, 'there'));
    await expect(deliver(stream(file('there/x')), out)).rejects.toMatchObject({ code: 'workspace/failed' });
    await expect(deliver(stream(link('came', '.'), file('came/x')), out)).rejects.toMatchObject({ code: 'workspace/failed' });
    await expect(deliver(stream(directory('there')), out)).rejects.toMatchObject({ code: 'workspace/failed' });
    expect(await readdir(join(base, 'elsewhere'))).toEqual([]);
  });

  test('a link that goes up behind another link stays inside', async () => {
    await deliver(stream(file('a/b/x'), link('a/b/up', '../..'), link('sly', 'a/b/up/..')), out);
    expect(await readlink(join(out, 'sly'))).toBe('a/b');
  });

  test('a directory in the place of a file, and a file in that of a directory', async () => {
    await deliver(stream(directory('d'), file('f')), out);
    await expect(deliver(stream(file('d')), out)).rejects.toMatchObject({ code: 'workspace/failed' });
    await expect(deliver(stream(file('f/x')), out)).rejects.toMatchObject({ code: 'workspace/failed' });
    expect(await all()).toEqual(['d', 'f']);
  });

  test('a stream that breaks off, or a signal, leaves no half file', async () => {
    const broken: TreeEntry = {
      ...file('b'),
      kind: 'file',
      size: 9,
      content: async function* () {
        yield Buffer.from('half');
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
    } as TreeEntry;
    await expect(deliver(stream(file('a'), broken), out)).rejects.toMatchObject({
      code: 'workspace/failed',
      message: expect.stringContaining('provider') as string,
    });
    expect(await all()).toEqual(['a']);
    const reason = new Error('enough');
    await expect(deliver(stream(file('c')), out, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await all()).toEqual(['a']);
  });

  test('an unwritable directory', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may write everywhere');
    await mkdir(out);
    await chmod(out, 0o500);
    await expect(deliver(stream(file('a')), out)).rejects.toMatchObject({ code: 'workspace/failed' });
  });

  test('a full disk', async (context) => {
    await mkdir(out);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', out], { stdio: 'pipe' });
    } catch (error) {
      if (process.env['CI']) throw error;
      context.skip('mounting a small tmpfs needs root');
    }
    try {
      const large = file('large', 'x'.repeat(1024 * 1024));
      await expect(deliver(stream(file('small'), large), out)).rejects.toMatchObject({ code: 'disk/full' });
      expect(await all()).toEqual(['small']);
    } finally {
      execFileSync('umount', [out]);
    }
  });
});

function accepted(check: () => string): string | undefined {
  try {
    return check();
  } catch {
    return undefined;
  }
}

test('a path that safePath lets through stays below the directory, and a link that safeLink lets through too', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', '...', '..a', '~'), fc.string({ maxLength: 3 }));
  const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, path, (where, target) => {
      if (accepted(() => safePath(where)) === undefined) return;
      expect(join('/root', where).startsWith('/root/')).toBe(true);
      if (accepted(() => safeLink(where, target)) === undefined) return;
      expect(`${join('/root', where, '..', target)}/`.startsWith('/root/')).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
