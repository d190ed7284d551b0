// What a command loads is most of what it takes. Everything here came back once without anybody noticing.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { follow, makePlace, program } from './errand.ts';

const dist = join(import.meta.dirname, '../../dist');

const hook = `
import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
const files = [];
const first = new Set(process.moduleLoadList);
registerHooks({ load: (url, context, next) => (files.push(url.split('/').at(-1)), next(url, context)) });
process.on('exit', () => {
  const builtins = process.moduleLoadList.filter((name) => !first.has(name)).map((name) => name.split(' ').at(-1));
  writeFileSync(process.env.LOADED, JSON.stringify({ files, builtins }));
});`;

test('a run loads five files, and no schema, no second clock, no HTTP', async () => {
  await using place = await makePlace();
  const [watcher, answer] = [join(place.directory, 'hook.mjs'), join(place.directory, 'loaded.json')];
  await writeFile(watcher, hook);
  const env = { ...place.env, LOADED: answer };
  const child = spawn(process.execPath, ['--import', watcher, program, 'run', '--', 'true'], { cwd: place.directory, env });
  expect(await follow(child).ended).toMatchObject({ status: 0, err: '' });
  const { files, builtins } = JSON.parse(readFileSync(answer, 'utf8')) as Record<'files' | 'builtins', string[]>;
  const own = files.filter((name) => name !== 'errand.js').map((name) => name.replace(/-[\w-]{8}\.js$/, ''));
  expect(own.toSorted()).toEqual(['commands', 'engine', 'error', 'runtime']);
  for (const name of files) expect(readFileSync(join(dist, name), 'utf8')).not.toContain('ZodType');
  expect(builtins).not.toContain('perf_hooks');
  expect(builtins).not.toContain('http');
});

test('every file is ASCII: one other letter doubles what a file takes in memory and to load', () => {
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  expect(files.filter((name) => /[^\0-\x7f]/.test(readFileSync(join(dist, name), 'utf8')))).toEqual([]);
});
