// What goes in arrives unchanged, what comes out is kept unchanged, whoever watches.
import { createHash } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lines } from '../errand.ts';
import type { Started } from '../errand.ts';
import { makeWorld, node, onlyRun, places, until } from './world.ts';
import type { World } from './world.ts';

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const awkward = [
  'a b  c ',
  '',
  `"'\`\\`,
  '$HOME ${PATH} $(touch x) `touch y` !! %s',
  'one\ntwo\r\n\tthree',
  'žluťoučký 🐎 ﷽ \u202E',
  '-',
  '--',
  '--json',
  '*?[a]{b,c}~ ;&|<>#',
  'x'.repeat(100_000),
  '',
];

test('argv through the store and a second process, and in a standing place', async () => {
  await using world = await makeWorld();
  const say = [node, '-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--', ...awkward];
  const detached = await world.errand('run', '--detach', '--', ...say);
  expect(await world.errand('wait', detached.out.trim())).toMatchObject({ status: 0, err: '' });
  expect(JSON.parse((await world.errand('logs', detached.out.trim())).out)).toEqual(awkward);
  const lease = (await world.errand('lease', 'acquire', 'local')).out.trim();
  expect(JSON.parse((await world.errand('lease', 'exec', lease, '--', ...say)).out)).toEqual(awkward);
  expect((await world.errand('lease', 'release', lease)).status).toBe(0);
});

test('50 MB of random bytes: the same on the terminal side and in the log', async () => {
  await using world = await makeWorld();
  const script = `const { createHash, randomBytes } = require('node:crypto');
    const hash = createHash('sha256');
    for (let i = 0; i < 50; i++) { const b = randomBytes(1 << 20); hash.update(b); require('node:fs').writeSync(1, b); }
    console.error(hash.digest('hex'));`;
  const run = await world.errand('run', '--', node, '-e', script);
  expect(run.status).toBe(0);
  expect(run.stdout.length).toBe(50 << 20);
  expect(sha(run.stdout)).toBe(run.err.trim());
  const log = await world.errand('logs', await onlyRun(world), '--stream', 'stdout');
  expect(sha(log.stdout)).toBe(run.err.trim());
});

// Slowly until it may go, so that there is always something on its way when a watcher is killed.
const countToAMillion = (go: string) => `
  const { existsSync, writeSync } = require('node:fs');
  let n = 0;
  function some(count) {
    let text = '';
    while (count-- > 0 && n < 1_000_000) text += ++n + '\\n';
    for (let b = Buffer.from(text); b.length > 0; ) b = b.subarray(writeSync(1, b));
  }
  const timer = setInterval(() => {
    if (existsSync(${JSON.stringify(go)})) { clearInterval(timer); while (n < 1_000_000) some(5000); process.exitCode = 23; }
    else if (n < 900_000) some(200);
  }, 5);`;

interface Entry {
  readonly text: string;
  readonly cursor: string;
}

/** A follower that is killed loses at most the line it was just printing. */
function wholeEntries(out: string): Entry[] {
  return lines<Entry>(out.slice(0, out.lastIndexOf('\n') + 1));
}

async function killInTheMiddle(world: World, watcher: Started, log: string): Promise<void> {
  await until(`${log} has something`, () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0);
  await sleep(Math.random() * 150);
  watcher.child.kill('SIGKILL');
  expect((await watcher.ended).signal).toBe('SIGKILL');
  expect(world.living().filter((one) => one.job)).toHaveLength(1);
}

test('a million lines once each and in order, though the watcher and a reader are killed ten times', async () => {
  await using world = await makeWorld();
  const go = join(world.directory, 'go');
  let watcher = world.start('run', '--quiet', '--', node, '-e', countToAMillion(go));
  await watcher.says('1\n');
  const id = await onlyRun(world);
  const steady = world.start('logs', '--follow', id);
  const read: Entry[] = [];
  for (let epoch = 1; epoch <= 10; epoch++) {
    const since = read.at(-1)?.cursor;
    const reader = world.start('logs', '--json', '--follow', ...(since === undefined ? [] : ['--since', since]), id);
    await killInTheMiddle(world, watcher, join(world.home, 'logs', id, `${epoch}.log`));
    reader.child.kill('SIGKILL');
    read.push(...wholeEntries((await reader.ended).out));
    watcher = world.start('wait', id);
  }
  writeFileSync(go, '');
  expect((await watcher.ended).status).toBe(23);

  const all = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => `${i + 1}\n`).join(''));
  expect(sha((await world.errand('logs', id)).stdout)).toBe(sha(all));
  expect(sha((await steady.ended).stdout)).toBe(sha(all));
  expect(read.length).toBeGreaterThan(0);
  const rest = await world.errand('logs', '--json', '--since', read.at(-1)?.cursor ?? '', id);
  const pieces = [...read, ...wholeEntries(rest.out)].map((entry) => entry.text).join('');
  expect(sha(Buffer.from(pieces))).toBe(sha(all));
});

// A mebibyte at a time, until it may end: large enough that the log links to the job's file instead of copying it.
const randomMebibytes = (go: string) => `
  const { createHash, randomBytes } = require('node:crypto');
  const { existsSync, writeSync } = require('node:fs');
  const hash = createHash('sha256');
  let left = 200;
  const timer = setInterval(() => {
    if (existsSync(${JSON.stringify(go)})) { clearInterval(timer); console.error(hash.digest('hex')); process.exitCode = 23; return; }
    if (left-- <= 0) return;
    const block = randomBytes(1 << 20);
    hash.update(block);
    for (let b = block; b.length > 0; ) b = b.subarray(writeSync(1, b));
  }, 100);`;

test('bulk output is linked, not copied: whole in the log after the watcher was killed and the place is gone', async () => {
  await using world = await makeWorld();
  const go = join(world.directory, 'go');
  let watcher = world.start('run', '--quiet', '--', node, '-e', randomMebibytes(go));
  const log = (id: string, epoch: number) => join(world.home, 'logs', id, `${epoch}.stdout.raw`);
  await until('there is a run', async () => (await world.errand('runs', '--json')).out !== '');
  const id = await onlyRun(world);
  const steady = world.start('logs', '--follow', '--stream', 'stdout', id);
  for (let epoch = 1; epoch <= 3; epoch++) {
    await killInTheMiddle(world, watcher, log(id, epoch));
    watcher = world.start('wait', id);
  }
  await until('the last watcher links too', () => existsSync(log(id, 4)));
  writeFileSync(go, '');
  expect((await watcher.ended).status).toBe(23);
  expect(places(world.home)).toEqual([]);
  const hash = (await world.errand('logs', '--stream', 'stderr', id)).out.trim();
  expect(sha((await world.errand('logs', '--stream', 'stdout', id)).stdout)).toBe(hash);
  expect(sha((await steady.ended).stdout)).toBe(hash);
  expect(statSync(log(id, 4)).ino).toBe(statSync(log(id, 1)).ino);
  expect(statSync(join(world.home, 'logs', id, '4.log')).size).toBeLessThan(4 << 20);
});
