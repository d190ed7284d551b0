// `errand provider new` and `errand provider test`, as an author uses them.
import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { lines, makePlace } from './errand.ts';
import type { Place } from './errand.ts';

const root = resolve(import.meta.dirname, '../../../..');
// A launcher begins with `env node`: it is the one that runs this test.
const path = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };

interface Line {
  readonly suite: string;
  readonly scenario: string;
  readonly result: 'held' | 'broken' | 'skipped';
  readonly why: string;
}

async function tested(place: Place, ...args: string[]) {
  const { status, out, err } = await place.errand('provider', 'test', '--json', ...args);
  const results = lines<Line>(out);
  const broken = results.filter(({ result }) => result === 'broken');
  return { status, err, results, broken };
}

/** The text of one of the new package's files, changed. */
async function edit(place: Place, file: string, from: string, to: string): Promise<void> {
  const at = join(place.directory, file);
  const text = await readFile(at, 'utf8');
  expect(text).toContain(from);
  await writeFile(at, text.replace(from, to));
}

test('a new provider holds every promise, has the right types, and its own test says the same', async () => {
  await using place = await makePlace(path);
  const made = await place.errand('provider', 'new', 'notes', '--json');
  expect(made.status).toBe(0);
  const { directory, files } = JSON.parse(made.out) as { directory: string; files: string[] };
  expect(directory).toBe(join(place.directory, 'notes'));
  expect(files).toEqual(
    expect.arrayContaining(['notes', 'plugin.json', 'conformance.json', '.gitignore', 'src/drivers/note.ts']),
  );
  for (const file of files) expect(await readFile(join(directory, file), 'utf8')).not.toContain('example-cloud');
  expect((await lstat(join(directory, 'notes'))).mode & 0o111).toBe(0o111);

  const { status, results, broken } = await tested(place, 'notes');
  expect(broken).toEqual([]);
  expect(status).toBe(0);
  expect(results.length).toBeGreaterThan(25);
  expect(results.filter(({ result }) => result === 'skipped')).toEqual([]);

  await mkdir(join(directory, 'node_modules/@types'));
  for (const name of ['@types/node', 'zod', 'undici-types'])
    await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name));
  const run = promisify(execFile);
  const tsc = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', directory]).catch(
    (error: { stdout: string }) => error,
  );
  expect(tsc.stdout).toBe('');
  const own = await run(process.execPath, ['--test', '--test-name-pattern', 'manifest|JSON'], {
    cwd: directory,
    env: { ...place.env },
  });
  expect(own.stdout).toMatch(/fail 0\n/);
  expect(own.stdout).not.toMatch(/pass 0\n/);
});

test('a provider that breaks a promise is told which, and why', async () => {
  await using place = await makePlace(path);
  await place.errand('provider', 'new', 'notes');
  const driver = 'notes/src/drivers/note.ts';
  // Somebody else's note of that name is taken for one's own, and an update is forgotten.
  await edit(place, driver, 'if (there?.key === key) return', 'if (there) return');
  await edit(place, driver, 'await notes.put(changed);', '');
  const { status, broken } = await tested(place, 'notes', '--only', 'drivers');
  expect(status).toBe(1);
  expect(broken.map(({ scenario }) => scenario)).toEqual([
    'notes.note: a change in place: the difference is told, updated, and gone; the resource stays the same one',
    'notes.note: another key of the same name is a provider/conflict, and changes nothing',
  ]);
  expect(broken.every(({ why }) => why !== '')).toBe(true);

  const table = await place.errand('provider', 'test', 'notes', '--only', 'another key');
  expect(table.status).toBe(1);
  expect(table.out).toMatch(/^SCENARIO +RESULT +WHY\n/);
  expect(table.out).toMatch(/drivers: notes\.note: another key .* broken +\S/);
  expect(table.err).toContain('0 held, 1 broken, 0 skipped');
});

test('a plugin that dies, says nothing, or is none is told so in time', async () => {
  await using place = await makePlace(path);
  await place.errand('provider', 'new', 'notes');
  const launcher = join(place.directory, 'notes/notes');
  await writeFile(launcher, '#!/bin/sh\necho "no such flag" >&2\nexit 3\n');
  const dying = await tested(place, 'notes');
  expect(dying.status).toBe(1);
  expect(dying.broken.length).toBeGreaterThan(5);
  expect(dying.broken.find(({ suite }) => suite === 'provider')?.why).toContain('no such flag');

  await chmod(launcher, 0o644);
  const plain = await place.errand('provider', 'test', 'notes');
  expect([plain.status, plain.out]).toEqual([125, '']);
  expect(plain.err).toContain('chmod +x');
  const nothing = await place.errand('provider', 'test', 'nowhere');
  expect(nothing.status).toBe(125);
  expect(nothing.err).toContain('plugin.json');
});

test('what it is tried with can be given, and mistakes in it are told', async () => {
  await using place = await makePlace(path);
  await place.errand('provider', 'new', 'notes');
  const wrong = await tested(place, 'notes', '--only', 'config', '--config', '{"directori":"x"}');
  expect(wrong.status).toBe(1);
  expect(wrong.broken[0]?.why).toContain('directori');
  for (const [given, what] of [
    ['{', 'not JSON'],
    ['none.json', 'none.json'],
  ] as const) {
    const refused = await place.errand('provider', 'test', 'notes', '--config', given);
    expect(refused.status).toBe(125);
    expect(refused.err).toContain(what);
  }
  const none = await place.errand('provider', 'test', 'notes', '--only', 'nonsense');
  expect(none.status).toBe(125);
  expect(none.err).toContain('nonsense');
});

test('names and places that cannot be are refused, and nothing is left', async () => {
  await using place = await makePlace(path);
  for (const name of ['Notes', '1st', 'a', 'ends-', 'a/b', '../up', 'local', 'x'.repeat(61)]) {
    const refused = await place.errand('provider', 'new', name);
    expect([name, refused.status]).toEqual([name, 125]);
    expect(refused.err).toContain('next: ');
  }
  await mkdir(join(place.directory, 'taken'));
  const taken = await place.errand('provider', 'new', 'taken');
  expect(taken.status).toBe(125);
  expect(taken.err).toContain('left as it is');
  const elsewhere = await place.errand('provider', 'new', 'notes', '--dir', 'a/b');
  expect(elsewhere.out).toBe(`made ${join(place.directory, 'a/b/notes')}\n`);
});
