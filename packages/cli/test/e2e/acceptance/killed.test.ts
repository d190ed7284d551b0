// SIGKILL of Errand: the job goes on, and whoever comes next gets its exact end.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lines } from '../errand.ts';
import { expectNoJob, makeWorld, onlyRun, places, runs, until } from './world.ts';

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

/** How far into the life of a run the kill falls; the last ones come after its end. */
const moments = Array.from({ length: 20 }, (_, i) => ({ after: Math.round((i + Math.random()) * 55) }));

test.concurrent.each(moments)('killed $after ms after its start: exact end, files collected, no place left', async ({ after }) => {
  await using world = await makeWorld();
  const { directory, home } = world;
  await mkdir(join(directory, 'src'));
  await writeFile(join(directory, 'src/in.txt'), 'payload');
  const script = `echo ran >> ${join(directory, 'effect')}; mkdir out; cat in.txt > out/copy.txt; seq 1 2000 > out/big.txt
    seq 1 3000; sleep 0.2; echo end; exit 7`;
  const files = ['--workspace', 'src', '--collect', 'out/**', '--out', 'got'];
  const run = world.start('run', '--idempotency-key', 'k', ...files, '--script', script);
  await sleep(after);
  run.child.kill('SIGKILL');
  await run.ended;

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
