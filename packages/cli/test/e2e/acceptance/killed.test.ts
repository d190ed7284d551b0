// SIGKILL of Errand: the job goes on, and whoever comes next gets its exact end.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { lines } from '../errand.ts';
import type { Started } from '../errand.ts';
import { expectNoJob, makeWorld, onlyRun, places, runs, until } from './world.ts';
import type { World } from './world.ts';

test('in the middle: the job is not disturbed, wait gives its exit code, logs all of its output', async () => {
  await using world = await makeWorld();
  const go = join(world.directory, 'go');
  const script = `echo one; echo uno >&2; until [ -e ${go} ]; do sleep 0.05; done; seq 1 20000; echo due >&2; exit 41`;
  const run = world.start('run', '--script', script);
  await run.says('one');
  const jobs = () => world.living().filter((one) => one.job && one.cmdline.includes('seq 1 20000'));
  const [before] = jobs();
  run.child.kill('SIGKILL');
  await run.ended;
  await sleep(200);
  expect(jobs()).toEqual([before]);
  const id = await onlyRun(world);
  const waits = [world.errand('wait', id), world.errand('wait', id), world.errand('wait', '--json', id)];
  await sleep(300);
  await writeFile(go, '');
  expect((await Promise.all(waits)).map((one) => one.status)).toEqual([41, 41, 41]);
  const numbers = Array.from({ length: 20000 }, (_, i) => `${i + 1}\n`).join('');
  expect(await world.errand('logs', id)).toMatchObject({ status: 0, out: `one\n${numbers}`, err: 'uno\ndue\n' });
  await expectNoJob(world);
  expect(places(world.home)).toEqual([]);
});

test.each([
  ['an exit code', 'exit 29', 29],
  ['a signal', 'kill -USR1 $$', 138],
])('the job ended with %s while nobody watched', async (_name, ending, status) => {
  await using world = await makeWorld();
  const run = world.start('run', '--script', `echo begin; sleep 0.3; seq 1 5000; ${ending}`);
  await run.says('begin');
  run.child.kill('SIGKILL');
  await run.ended;
  // The job and the supervisor that noted its end are both gone before anybody looks.
  await until('nothing is alive', () => world.living().length === 0);
  const id = await onlyRun(world);
  expect((await world.errand('show', id, '--json')).out).toContain('"status":"running"');
  expect((await world.errand('wait', id)).status).toBe(status);
  expect((await world.errand('logs', id)).out).toBe(`begin\n${Array.from({ length: 5000 }, (_, i) => `${i + 1}\n`).join('')}`);
  expect(places(world.home)).toEqual([]);
});

test('the job ended while nobody watched: whoever comes next collects its files', async () => {
  await using world = await makeWorld();
  const script = 'echo begin; sleep 0.3; mkdir out; echo made > out/file; exit 3';
  const run = world.start('run', '--collect', 'out/**', '--out', 'got', '--script', script);
  await run.says('begin');
  run.child.kill('SIGKILL');
  await run.ended;
  await until('nothing is alive', () => world.living().length === 0);
  expect(existsSync(join(world.directory, 'got'))).toBe(false);
  expect((await world.errand('sweep')).out).toContain('finished run');
  expect(readFileSync(join(world.directory, 'got/out/file'), 'utf8')).toBe('made\n');
  expect((await world.errand('wait', await onlyRun(world))).status).toBe(3);
  expect(places(world.home)).toEqual([]);
});

/** Spread over the whole life of a run. The first ones find nothing recorded yet, the last ones a run that is over. */
const moments = Array.from({ length: 20 }, (_, i) => (i + Math.random()) / 20);
const life = { took: 0, killed: 0 };

async function begin(world: World): Promise<Started> {
  const { directory } = world;
  await mkdir(join(directory, 'src'));
  await writeFile(join(directory, 'src/in.txt'), 'payload');
  const script = `echo ran >> ${join(directory, 'effect')}; mkdir out; cat in.txt > out/copy.txt; seq 1 2000 > out/big.txt
    seq 1 3000; sleep 0.1; echo end; exit 7`;
  return world.start('run', '--workspace', 'src', '--collect', 'out/**', '--out', 'got', '--script', script);
}

beforeAll(async () => {
  await using world = await makeWorld();
  const run = await begin(world);
  const began = performance.now();
  await run.ended;
  life.took = performance.now() - began;
});

test.concurrent.each(moments)('killed at moment %#: exact end, files collected, no place left', async (moment) => {
  await using world = await makeWorld();
  const { directory, home } = world;
  const run = await begin(world);
  await sleep(moment * life.took * 1.2);
  run.child.kill('SIGKILL');
  if ((await run.ended).signal === 'SIGKILL') life.killed += 1;

  const [found] = await runs(world);
  if (found) {
    expect((await world.errand('wait', found.id)).status).toBe(7);
    const log = await world.errand('logs', found.id);
    expect(log.out).toBe(`${Array.from({ length: 3000 }, (_, i) => `${i + 1}\n`).join('')}end\n`);
    expect(readFileSync(join(directory, 'effect'), 'utf8')).toBe('ran\n');
    expect(readFileSync(join(directory, 'got/out/copy.txt'), 'utf8')).toBe('payload');
    expect(readFileSync(join(directory, 'got/out/big.txt'), 'utf8').split('\n')).toHaveLength(2001);
  } else {
    expect(existsSync(join(directory, 'effect'))).toBe(false);
  }
  expect(await world.errand('sweep')).toMatchObject({ status: 0 });
  expect(places(home)).toEqual([]);
  expect(lines((await world.errand('leases', '--json')).out)).toEqual([]);
  await until('nothing is alive', () => world.living().length === 0);
});

test('most of those kills came in time', () => {
  expect(life.killed).toBeGreaterThan(10);
});
