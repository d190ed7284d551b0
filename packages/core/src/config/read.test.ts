import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineProvider, isErrandError } from '@errand/contract';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadConfig } from './load.ts';

const local = defineProvider({
  name: 'local',
  version: '1',
  summary: 'here',
  options: () => Promise.resolve(z.strictObject({ sandbox: z.enum(['off', 'strict']).optional() })),
  open: () => Promise.reject(new Error('not opened here')),
});
const providers = new Map([['local', local]]);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'errand-read-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function code(options: { path?: string; cwd: string }): Promise<string> {
  return loadConfig({ ...options, env: {}, providers }).then(
    () => 'fine',
    (error: unknown) => (isErrandError(error) ? `${error.code} ${error.message}` : String(error)),
  );
}

describe('which file', () => {
  test('none: just local', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'errand-none-'));
    const config = await loadConfig({ cwd: empty, env: {}, providers });
    expect([...config.environments.keys()]).toEqual(['local']);
    expect(config.file).toBeUndefined();
    await rm(empty, { recursive: true });
  });

  test('unreadable ones', async () => {
    const sub = join(directory, 'sub');
    await mkdir(join(sub, 'errand.yaml'), { recursive: true });
    expect(await code({ cwd: sub })).toMatch(/^config\/unreadable .*directory/);
    expect(await code({ path: 'nothing.yaml', cwd: directory })).toMatch(/^config\/unreadable .*no such file/);
    await writeFile(join(directory, 'big.yaml'), '#'.repeat(8 * 1024 * 1024 + 1));
    expect(await code({ path: 'big.yaml', cwd: directory })).toMatch(/^config\/unreadable .*8 MiB/);
    await writeFile(join(directory, 'bytes.yaml'), Buffer.from([0x61, 0xff, 0xfe]));
    expect(await code({ path: 'bytes.yaml', cwd: directory })).toMatch(/^config\/unreadable .*UTF-8/);
  });

  test('one without permission', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may read everything');
    await writeFile(join(directory, 'closed.yaml'), '');
    await chmod(join(directory, 'closed.yaml'), 0);
    expect(await code({ path: 'closed.yaml', cwd: directory })).toMatch(/^config\/unreadable .*permission/);
  });

  test('the nearest one upwards, .yml too', async () => {
    const deep = join(directory, 'x', 'y', 'z');
    await mkdir(deep, { recursive: true });
    await writeFile(join(directory, 'x', 'errand.yml'), 'environments: { q: { provider: local } }');
    expect((await loadConfig({ cwd: deep, env: {}, providers })).file).toBe(join(directory, 'x', 'errand.yml'));
  });
});

test('nothing but ErrandError comes out, whatever the text is', async () => {
  const words =
    'environments a b provider local extends env secret timeout 5m lease store 1 __proto__ secret://env/A .nan null ~'.split(' ');
  const marks = ': |:|\n|\n  |\n    |\n\t|- |{|}|[|]|,|"|\'|&a |*a|!!set |!x |? |> |#|%|---\n|...\n|\0|\u{FEFF}'.split('|');
  const variables = ['${env:A}', '${env:', '$${env:A}', '| '];
  const word = fc.constantFrom(...words, ...marks, ...variables);
  const text = fc.oneof(
    fc.array(word, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  const seen = await mkdtemp(join(tmpdir(), 'errand-any-'));
  const file = join(seen, 'errand.yaml');
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      await writeFile(file, value);
      const result: unknown = await loadConfig({ cwd: seen, env: { A: 'x' }, providers }).catch((error: unknown) => error);
      if (result instanceof Error && !isErrandError(result)) throw result;
      const diagnostics = isErrandError(result, 'config/invalid') ? result.diagnostics : [];
      expect(diagnostics.every((one) => (one.line ?? 0) >= 1 && (one.column ?? 0) >= 1 && one.message !== '')).toBe(true);
      expect(isErrandError(result, 'config/invalid') === diagnostics.some((one) => one.severity === 'error')).toBe(true);
    }),
    { numRuns: 400 },
  );
  await rm(seen, { recursive: true });
});
