// Random trees on three sides, and a process that dies at every step.
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TreeEntry } from '@errand/contract';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listWorkspace } from '../list.ts';
import { noting, readBaseline, writeBaseline } from './baseline.ts';
import { findPlan } from './plan.ts';
import { syncFiles } from './sync.ts';
import type { Synced, SyncOptions } from './sync.ts';
import type { Version } from './version.ts';

/** `text`, `text*` (executable), `-> target`. */
type Tree = Readonly<Record<string, string>>;

let base: string;
let root: string;
let kept: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'errand-sync-'));
  await makeSides();
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function makeSides(): Promise<void> {
  root = join(base, 'here');
  kept = join(base, 'kept');
  for (const path of [root, kept, join(base, 'outside')]) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path);
  }
  await writeFile(join(base, 'outside/x'), 'precious');
}

async function put(tree: Tree): Promise<void> {
  await rm(root, { recursive: true, force: true });
  await mkdir(root);
  for (const [path, what] of Object.entries(tree)) {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    if (what.startsWith('-> ')) await symlink(what.slice(3), full);
    else await writeFile(full, what.replace(/\*$/, ''));
    if (what.endsWith('*')) await chmod(full, 0o755);
  }
}

async function here(directory = root): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const path = full.slice(directory.length + 1);
    if (entry.isSymbolicLink()) found[path] = `-> ${await readlink(full)}`;
    else if (entry.isFile())
      found[path] = `${await readFile(full, 'utf8')}${((await lstat(full)).mode & 0o100) !== 0 ? '*' : ''}`;
  }
  return found;
}

async function takeBaseline(): Promise<void> {
  const sent = new Map<string, Version>();
  for await (const entry of noting(listWorkspace(root), sent)) {
    if (entry.kind === 'file') for await (const _bytes of entry.content());
  }
  await writeBaseline(kept, 1, sent);
}

async function* entries(tree: Tree): AsyncGenerator<TreeEntry> {
  for (const [path, what] of Object.entries(tree)) {
    if (what.startsWith('-> ')) yield { kind: 'link', path, target: what.slice(3) };
    else {
      const bytes = Buffer.from(what.replace(/\*$/, ''));
      const content = async function* () {
        yield bytes;
      };
      yield { kind: 'file', path, mode: what.endsWith('*') ? 0o755 : 0o644, size: bytes.length, content };
    }
  }
}

const options = (remote: Tree, more: Partial<SyncOptions> = {}): SyncOptions => ({
  directory: kept,
  workspace: root,
  run: 'run-1',
  epoch: 1,
  exclude: [],
  signal: new AbortController().signal,
  collect: () => entries(remote),
  stillOurs: async () => {},
  ...more,
});

/** The base goes in, the person changes it to `local`, the job to `remote`. */
async function sync(before: Tree, local: Tree, remote: Tree): Promise<Synced> {
  await put(before);
  await takeBaseline();
  await put(local);
  return syncFiles(options(remote));
}

const beside = (path: string) => `${path}.errand-run-1`;

describe('one change at a time', () => {
  test('what the job wrote, deleted, linked and made executable', async () => {
    const before = { a: 'a', b: 'b', 'd/c': 'c', 'd/e': 'e', l: '-> a', run: 'run' };
    const remote = { a: 'A', 'd/e': 'e', 'd/new/f': 'f', l: '-> d/e', run: 'run*', k: '-> a' };
    expect(await sync(before, before, remote)).toMatchObject({ written: 5, deleted: 2, ignored: 0, conflicts: [], failures: [] });
    expect(await here()).toEqual(remote);
  });

  test('what changed here stays, and nothing is told of what the job left alone', async () => {
    const local = { a: 'mine', new: 'mine' };
    expect(await sync({ a: 'a', b: 'b' }, local, { a: 'a', b: 'b' })).toMatchObject({ written: 0, deleted: 0, conflicts: [] });
    expect(await here()).toEqual(local);
  });

  test('changed on both sides: the job’s version beside it, and a taken name is not overwritten', async () => {
    const before = { a: 'a', 'd/b': 'b', c: 'c', e: 'e' };
    const local = { a: 'mine', [beside('a')]: 'mine too', 'd/b': 'b', e: 'mine' };
    const result = await sync(before, local, { a: 'job', 'd/b': 'b', c: 'job*', n: 'n' });
    expect(result.conflicts).toEqual([
      { path: 'e', why: 'deleted-there' },
      { path: 'a', why: 'changed-both', kept: `${beside('a')}.2` },
      { path: 'c', why: 'deleted-here', kept: beside('c') },
    ]);
    expect(await here()).toEqual({ ...local, [`${beside('a')}.2`]: 'job', [beside('c')]: 'job*', n: 'n' });
  });

  test('a file becomes a directory, a directory a file or a link', async () => {
    const before = { a: 'a', 'd/x': 'x', 'd/deep/y': 'y', 'e/z': 'z', l: '-> d' };
    const remote = { 'a/in': 'in', d: 'file', e: '-> a', 'l/m': 'm' };
    expect(await sync(before, before, remote)).toMatchObject({ conflicts: [], failures: [] });
    expect(await here()).toEqual(remote);
  });

  test('with something of the person in the way, it is kept beside what stands there', async () => {
    const before = { a: 'a', 'd/x': 'x' };
    const local = { a: 'mine', 'd/x': 'x', 'd/mine': 'mine' };
    const result = await sync(before, local, { 'a/in': 'in', d: 'file' });
    expect(result.conflicts).toEqual([
      { path: 'a', why: 'deleted-there' },
      { path: 'a/in', why: 'in-the-way', kept: `${beside('a')}/in` },
      { path: 'd', why: 'in-the-way', kept: beside('d') },
    ]);
    expect(await here()).toEqual({ a: 'mine', 'd/mine': 'mine', [`${beside('a')}/in`]: 'in', [beside('d')]: 'file' });
  });

  test('never through a link that stands here, wherever it leads', async () => {
    const local = { d: '-> ../outside', 'real/x': 'x', e: '-> real' };
    const result = await sync({ 'd/x': 'x', 'e/x': 'x', 'real/x': 'x' }, local, { 'd/x': 'evil', 'd/y': 'y', 'real/x': 'x' });
    expect(result.conflicts.map((one) => one.kept)).toEqual([`${beside('d')}/x`, `${beside('d')}/y`]);
    expect(await here(join(base, 'outside'))).toEqual({ x: 'precious' });
    expect(await here()).toMatchObject(local);
  });

  test('names and links that lead out are told and left behind', async () => {
    const hostile = {
      '../up': 'x',
      '/etc/x': 'x',
      'a/../../b': 'x',
      out: '-> /etc',
      up: '-> ../..',
      [String.raw`a\b`]: 'x',
      ok: 'ok',
    };
    const result = await sync({}, {}, hostile);
    expect(result.conflicts.map(({ path, why }) => [path, why])).toEqual(
      Object.keys(hostile)
        .filter((path) => path !== 'ok')
        .map((path) => [path, 'unsafe']),
    );
    expect(await here()).toEqual({ ok: 'ok' });
    expect((await readdir(base)).toSorted()).toEqual(['here', 'kept', 'outside']);
  });

  test('.git, what the ignore files name, and excluded paths stay behind and are counted', async () => {
    await put({ '.errandignore': '*.log\n/cache/\n', 'sub/.errandignore': '!keep.log\n', data: 'd' });
    await takeBaseline();
    const remote = {
      '.errandignore': '*.log\n/cache/\n',
      'sub/.errandignore': '!keep.log\n',
      data: 'd',
      'a.log': 'x',
      'cache/deep/y': 'x',
      'sub/cache/y': 'comes',
      'sub/keep.log': 'comes',
      '.git/hooks/post-checkout': 'evil*',
      'sub/.GIT/config': 'evil',
      '.errand/x': 'x',
    };
    const result = await syncFiles(options(remote, { exclude: [join(root, '.errand')] }));
    expect(result).toMatchObject({ written: 2, ignored: 5, conflicts: [] });
    expect(Object.keys(await here()).toSorted()).toEqual([
      '.errandignore',
      'data',
      'sub/.errandignore',
      'sub/cache/y',
      'sub/keep.log',
    ]);
  });

  test('without a baseline nothing is deleted, and what differs is a conflict', async () => {
    await put({ a: 'a', b: 'b', c: 'c' });
    const result = await syncFiles(options({ a: 'a', b: 'B', n: 'n' }));
    expect(result).toMatchObject({ written: 1, deleted: 0, conflicts: [{ path: 'b', why: 'changed-both' }] });
    expect(await here()).toEqual({ a: 'a', b: 'b', c: 'c', n: 'n', [beside('b')]: 'B' });
  });

  test('a workspace that is gone: the changes are kept in the stage', async () => {
    await put({ a: 'a' });
    await takeBaseline();
    await rm(root, { recursive: true });
    await expect(syncFiles(options({ a: 'A' }))).rejects.toMatchObject({ code: 'workspace/failed' });
    const found = await findPlan(kept);
    expect(await here(join(found?.stage ?? '', 'tree'))).toEqual({ a: 'A' });
  });

  test('a damaged stage is fetched again, a torn baseline is none', async () => {
    await put({ a: 'a' });
    await takeBaseline();
    const stopped = options({ a: 'A' }, { stillOurs: () => Promise.reject(new Error('stop')) });
    await expect(syncFiles(stopped)).rejects.toThrow('stop');
    await writeFile(join(kept, 'stage-1/tree/a'), '');
    expect(await syncFiles(options({ a: 'A' }, { epoch: 2 }))).toMatchObject({ written: 1, conflicts: [] });
    expect(await here()).toEqual({ a: 'A' });
    const whole = await readFile(join(kept, 'baseline-1.jsonl'), 'utf8');
    await writeFile(join(kept, 'baseline-1.jsonl'), whole.slice(0, -3));
    expect(await readBaseline(kept)).toBe(undefined);
  });

  test('a read-only file stays read-only, one of 3 MB arrives whole, and the person’s mode of a directory stays', async () => {
    await put({ ro: 'ro', 'd/x': 'x' });
    await chmod(join(root, 'ro'), 0o444);
    await chmod(join(root, 'd'), 0o750);
    await takeBaseline();
    const large = 'y'.repeat(3_000_000);
    expect(await syncFiles(options({ ro: 'changed', 'd/new': large }))).toMatchObject({ written: 2, deleted: 1, failures: [] });
    expect((await lstat(join(root, 'ro'))).mode & 0o777).toBe(0o444);
    expect((await lstat(join(root, 'd'))).mode & 0o777).toBe(0o750);
    expect((await here())['d/new']).toBe(large);
  });
});

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const inside = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('0', '1', '2', '1*') },
  { weight: 1, arbitrary: fc.constantFrom('-> a', '-> b') },
);
const set = (tree: Tree, at: string, what: string | undefined): Tree => {
  const clear = Object.entries(tree).filter(([one]) => one !== at && !one.startsWith(`${at}/`) && !at.startsWith(`${one}/`));
  return Object.fromEntries(what === undefined ? clear : [...clear, [at, what]]);
};
const edits = (what: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .array(fc.tuple(path, fc.option(what, { nil: undefined, freq: 3 })), { maxLength })
    .map((list) => (tree: Tree) => list.reduce((now, [at, to]) => set(now, at, to), tree));
const outside = fc.constant('-> OUTSIDE');
/** A link may stand where the listing would refuse it: the person made it after the files had gone in. */
const story = fc.record({
  before: edits(inside, 6).map((edit) => edit({})),
  byPerson: edits(fc.oneof({ weight: 5, arbitrary: inside }, { weight: 1, arbitrary: outside }), 4),
  byJob: edits(inside, 4),
});
/** `a/../b` and links to themselves are refused or change on their way; neither is of interest here. */
const plainLinks = (tree: Tree) =>
  Object.fromEntries(Object.entries(tree).map(([at, what]) => [at, what.startsWith('-> ') && at.includes('/') ? '0' : what]));

function sidesOf({ before, byPerson, byJob }: { before: Tree; byPerson: (tree: Tree) => Tree; byJob: (tree: Tree) => Tree }) {
  const went = plainLinks(before);
  const local = Object.fromEntries(
    Object.entries(byPerson(went)).map(([at, what]) => [at, what.replace('OUTSIDE', join(base, 'outside'))]),
  );
  return { went, local, remote: plainLinks(byJob(went)) };
}

function lost(sides: { went: Tree; local: Tree; remote: Tree }, after: Tree, result: Synced): string[] {
  const { went, local, remote } = sides;
  const mine = Object.entries(local).filter(([at, what]) => went[at] !== what && after[at] !== what);
  const theirs = Object.entries(remote).filter(([at, what]) => {
    if (went[at] === what) return false;
    const conflict = result.conflicts.find((one) => one.path === at);
    return after[at] !== what && (conflict?.kept === undefined || after[conflict.kept] !== what);
  });
  const unasked = Object.entries(local).filter(([at, what]) => remote[at] === what && went[at] === what && after[at] !== what);
  const known = new Set([...Object.keys(local), ...Object.keys(remote), ...result.conflicts.map((one) => one.kept)]);
  return [
    ...mine.map(([at]) => `the person’s ${at} is lost`),
    ...theirs.map(([at]) => `the job’s ${at} is lost`),
    ...unasked.map(([at]) => `${at}, which nobody changed, is gone`),
    ...Object.keys(after)
      .filter((at) => !known.has(at))
      .map((at) => `${at} came from nowhere`),
    ...Object.keys(went)
      .filter((at) => remote[at] === undefined && local[at] === went[at] && after[at] === went[at])
      .map((at) => `${at} was deleted by the job and is still there`),
  ];
}

test('whatever the three sides are: no change of the person is lost, and every change of the job is there or beside it', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      await makeSides();
      const sides = sidesOf(told);
      const result = await sync(sides.went, sides.local, sides.remote);
      expect(result.failures).toEqual([]);
      expect(lost(sides, await here(), result)).toEqual([]);
      expect(await here(join(base, 'outside'))).toEqual({ x: 'precious' });
    }),
    { numRuns: 100 },
  );
}, 120_000);

/** Plays until the n-th step and stops there for good, as a killed process does. False when there were fewer. */
async function dieAt(n: number, playing: SyncOptions): Promise<boolean> {
  let count = 0;
  return new Promise((resolve, reject) => {
    const step = () => (++count === n ? (resolve(true), new Promise<void>(() => {})) : undefined);
    const collect = async function* () {
      for await (const entry of playing.collect()) {
        await step();
        yield entry;
      }
    };
    syncFiles({ ...playing, collect, step }).then(() => resolve(false), reject);
  });
}

test('killed at any step, and again at any step: the next one gets the same files and the same report', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.integer({ min: 1, max: 12 }), async (told, second) => {
      await makeSides();
      const sides = sidesOf(told);
      const expected = await sync(sides.went, sides.local, sides.remote);
      const after = await here();
      for (let n = 1; ; n++) {
        await makeSides();
        await put(sides.went);
        await takeBaseline();
        await put(sides.local);
        const died = await dieAt(n, options(sides.remote));
        await dieAt(second, options(sides.remote, { epoch: 2 }));
        expect(await syncFiles(options(sides.remote, { epoch: 3 }))).toEqual(expected);
        expect(await here()).toEqual(after);
        if (!died) break;
      }
    }),
    { numRuns: 6 },
  );
}, 180_000);
