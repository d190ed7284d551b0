// The .proto files: well formed, compatible with what was released, and the generated code is theirs.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const tools = join(dirname(require.resolve('@bufbuild/buf/package.json')), '../../.bin');
// The generator is a script of the Node that runs this test.
const path = [tools, dirname(process.execPath), process.env['PATH']].join(delimiter);

/** Prints what buf complains of. */
async function buf(...words: string[]): Promise<string> {
  const options = { cwd: root, env: { ...process.env, PATH: path } };
  const { stdout, stderr } = await promisify(execFile)(join(tools, 'buf'), words, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return stdout + stderr;
}

async function contents(directory: string): Promise<Record<string, string>> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(directory.length + 1), await readFile(file, 'utf8')] as const)),
  );
}

test('the rules are kept', async () => {
  expect(await buf('lint')).toBe('');
  expect(await buf('format', '--diff')).toBe('');
});

test('nothing that was released has changed its meaning', async () => {
  expect(await buf('breaking', '--against', 'released.binpb')).toBe('');
});

test('a change of meaning would be seen', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'errand-proto-'));
  try {
    expect(await buf('export', '.', '--output', copy)).toBe('');
    const file = join(copy, 'errand/v1/handle.proto');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('string key = 1;', 'string key = 9;'));
    expect(await buf('breaking', copy, '--against', 'released.binpb')).toContain('handle.proto');
  } finally {
    await rm(copy, { recursive: true });
  }
});

test('the generated code is current; `npm run proto` makes it so', async () => {
  const fresh = await mkdtemp(join(tmpdir(), 'errand-gen-'));
  try {
    expect(await buf('generate', '--output', fresh)).toBe('');
    const [committed, generated] = [await contents(join(root, 'src/gen')), await contents(join(fresh, 'src/gen'))];
    expect(Object.keys(committed).toSorted()).toEqual(Object.keys(generated).toSorted());
    expect(Object.keys(generated).filter((name) => generated[name] !== committed[name])).toEqual([]);
  } finally {
    await rm(fresh, { recursive: true });
  }
});
