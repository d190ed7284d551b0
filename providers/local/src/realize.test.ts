import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TreeEntry } from '@errand/contract';
import { realize } from './realize.ts';

async function bed() {
  const dir = await mkdtemp(join(tmpdir(), 'errand-realize-'));
  await mkdir(join(dir, 'place', 'work'), { recursive: true });
  return { dir, place: join(dir, 'place'), [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

async function* entries(...all: TreeEntry[]): AsyncGenerator<TreeEntry> {
  yield* all;
}

const signal = new AbortController().signal;

function localFile(path: string, local: string, size = 5): TreeEntry {
  return {
    kind: 'file',
    path,
    mode: 0o755,
    size,
    local,
    async *content() {
      yield Buffer.from('wired');
    },
  };
}

test('a file of this machine is copied directly, with the mode of its entry', async () => {
  await using made = await bed();
  const source = join(made.dir, 'source');
  await writeFile(source, 'local');
  await chmod(source, 0o444);
  await realize(made.place, entries(localFile('a', source), localFile('big', source, 10_000_000)), () => undefined, signal);
  expect(await readFile(join(made.place, 'work', 'a'), 'utf8')).toBe('local');
  expect(await readFile(join(made.place, 'work', 'big'), 'utf8')).toBe('local');
  expect((await stat(join(made.place, 'work', 'a'))).mode & 0o777).toBe(0o755);
});

test('a link that took the file’s place is not followed', async () => {
  await using made = await bed();
  await writeFile(join(made.dir, 'private'), 'private');
  await symlink(join(made.dir, 'private'), join(made.dir, 'source'));
  await realize(made.place, entries(localFile('a', join(made.dir, 'source'))), () => undefined, signal);
  expect(await readFile(join(made.place, 'work', 'a'), 'utf8')).toBe('wired');
});

function fenced(): never {
  throw new Error('fenced');
}

test('a holder that was fenced while copying changes nothing and leaves nothing', async () => {
  await using made = await bed();
  await writeFile(join(made.place, 'work', 'old'), 'x');
  await expect(realize(made.place, entries(localFile('a', '/no/such')), fenced, signal)).rejects.toThrow('fenced');
  expect(await readdir(made.place)).toEqual(['work']);
  expect(await readdir(join(made.place, 'work'))).toEqual(['old']);
});

test('what an earlier death left is cleared, and the old workspace replaced', async () => {
  await using made = await bed();
  await mkdir(join(made.place, 'work.new-dead'));
  await mkdir(join(made.place, 'work.old-dead'));
  await writeFile(join(made.place, 'work', 'old'), 'x');
  await realize(made.place, entries({ kind: 'link', path: 'l', target: 'a' }), () => undefined, signal);
  expect(await readdir(made.place)).toEqual(['work']);
  expect((await lstat(join(made.place, 'work', 'l'))).isSymbolicLink()).toBe(true);
  expect(await readdir(join(made.place, 'work'))).toEqual(['l']);
});

test('the same path twice is refused', async () => {
  await using made = await bed();
  const twice = realize(made.place, entries(localFile('a', '/no/such'), localFile('a', '/no/such')), () => undefined, signal);
  await expect(twice).rejects.toMatchObject({ code: 'workspace/failed' });
});
