// --sync-back: what the command changed is merged into the directory that it got; nothing of the person's is lost.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SyncReport } from '@errand/core';
import { expectNoJob, makeWorld, onlyRun, places, until } from './world.ts';
import type { World } from './world.ts';

async function put(world: World, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(world.directory, path, '..'), { recursive: true });
    await writeFile(join(world.directory, path), text);
  }
}

const read = (world: World, path: string) => readFileSync(join(world.directory, path), 'utf8');

async function report(world: World, id: string): Promise<{ readonly status: string; readonly sync?: SyncReport }> {
  return (JSON.parse((await world.errand('show', '--json', id)).out) as { run: { status: string; sync?: SyncReport } }).run;
}

const nothingKept = (world: World) => !existsSync(join(world.home, 'sync')) || readdirSync(join(world.home, 'sync')).length === 0;

test('changes, deletions and new files come back, ignored ones do not; the status is the command’s own', async () => {
  await using world = await makeWorld();
  await put(world, { 'ws/a': 'a', 'ws/d/b': 'b', 'ws/d/c': 'c', 'ws/.errandignore': 'node_modules/\n' });
  const script =
    'printf A > a; rm d/b; mkdir -p node_modules/x new; touch node_modules/x/y; printf n > new/.n; chmod +x d/c; exit 7';
  const ended = await world.errand('run', '--workspace', 'ws', '--sync-back', '--script', script);
  expect(ended).toMatchObject({ status: 7, out: '', err: 'errand: synced back: 3 written, 1 deleted, 1 ignored\n' });
  expect(read(world, 'ws/a')).toBe('A');
  expect(read(world, 'ws/new/.n')).toBe('n');
  expect(readdirSync(join(world.directory, 'ws/d'))).toEqual(['c']);
  expect(existsSync(join(world.directory, 'ws/node_modules'))).toBe(false);
  expect(nothingKept(world)).toBe(true);
  expect(places(world.home)).toEqual([]);
});

test('changed on both sides: told on stderr and as JSON, kept beside, and the status stays 0', async () => {
  await using world = await makeWorld();
  await put(world, { 'ws/both': 'base', 'ws/gone-here': 'base', 'ws/gone-there': 'base' });
  const go = join(world.directory, 'go');
  const script = `echo in; until [ -e ${go} ]; do sleep 0.02; done; printf job | tee both > gone-here; rm gone-there`;
  const run = world.start('run', '--json', '--workspace', 'ws', '--sync-back', '--script', script);
  await until('the command runs', async () => (await world.errand('runs', '--open')).out.includes('running'));
  const id = await onlyRun(world);
  await until('it has begun', async () => (await world.errand('logs', id)).out.includes('in'));
  await put(world, { 'ws/both': 'mine', 'ws/gone-there': 'mine' });
  await rm(join(world.directory, 'ws/gone-here'));
  await writeFile(go, '');
  const { status, out, err } = await run.ended;
  const expected = [
    { path: 'gone-there', why: 'deleted-there' },
    { path: 'both', why: 'changed-both', kept: `both.errand-${id}` },
    { path: 'gone-here', why: 'deleted-here', kept: `gone-here.errand-${id}` },
  ];
  expect(status).toBe(0);
  expect((JSON.parse(out) as { run: { sync: SyncReport } }).run.sync).toEqual({
    written: 0,
    deleted: 0,
    ignored: 0,
    conflicts: expected,
  });
  expect(err).toContain(`conflict: both was changed here and by the command; the command's version is in both.errand-${id}\n`);
  expect([read(world, 'ws/both'), read(world, 'ws/gone-there')]).toEqual(['mine', 'mine']);
  expect([read(world, `ws/both.errand-${id}`), read(world, `ws/gone-here.errand-${id}`)]).toEqual(['job', 'job']);
});

test('a cancelled and a timed-out command bring back what they had done', async () => {
  await using world = await makeWorld();
  await put(world, { 'ws/a': 'a' });
  const timed = await world.errand(
    'run',
    '--timeout',
    '300ms',
    '--workspace',
    'ws',
    '--sync-back',
    '--script',
    'printf 1 > a; sleep 60',
  );
  expect(timed.status).toBe(124);
  expect(read(world, 'ws/a')).toBe('1');
  const run = world.start('run', '--workspace', 'ws', '--sync-back', '--script', 'printf 2 > a; echo done; exec sleep 60');
  await run.says('done');
  run.child.kill('SIGINT');
  expect((await run.ended).status).toBe(130);
  expect(read(world, 'ws/a')).toBe('2');
  await expectNoJob(world);
});

test('killed while the command runs: whoever comes next syncs back', async () => {
  await using world = await makeWorld();
  await put(world, { 'ws/a': 'a', 'ws/b': 'b', 'ws/c': 'c' });
  const run = world.start(
    'run',
    '--workspace',
    'ws',
    '--sync-back',
    '--script',
    'echo in; sleep 0.4; printf A > a; rm b; exit 5',
  );
  await run.says('in');
  run.child.kill('SIGKILL');
  await run.ended;
  await put(world, { 'ws/c': 'mine' });
  await until('nothing is alive', () => world.living().length === 0);
  expect(read(world, 'ws/a')).toBe('a');
  const id = await onlyRun(world);
  expect((await world.errand('wait', id)).status).toBe(5);
  expect([read(world, 'ws/a'), read(world, 'ws/c')]).toEqual(['A', 'mine']);
  expect(await report(world, id)).toMatchObject({ status: 'closed', sync: { written: 1, deleted: 1, conflicts: [] } });
  expect(readdirSync(join(world.directory, 'ws'))).toEqual(['a', 'c']);
  expect(nothingKept(world)).toBe(true);
  expect(places(world.home)).toEqual([]);
});

const many = 150;
const halfDone: number[] = [];

/** Some are counted in time, while the changes are fetched; some in files, while they are written. */
const moments = [...[0, 10, 20, 40].map((ms) => ({ ms })), ...[1, 5, 20, 50, 80, 110, 130, 148].map((files) => ({ files }))];

test.concurrent.each(moments)('killed while it syncs back, at %o', async (moment) => {
  await using world = await makeWorld();
  const names = Array.from({ length: many }, (_, i) => `ws/f${i}`);
  await put(world, Object.fromEntries(names.map((name) => [name, 'base'])));
  const script = `rm f0; for i in $(seq 1 ${many - 1}); do printf job > f$i; done; echo end`;
  const run = world.start('run', '--workspace', 'ws', '--sync-back', '--script', script);
  await run.says('end');
  const done = () => names.slice(1).filter((name) => read(world, name) === 'job').length;
  if ('ms' in moment) await sleep(moment.ms);
  else while (done() < moment.files) await new Promise((resolve) => setImmediate(resolve));
  run.child.kill('SIGKILL');
  await run.ended;
  if (done() > 0 && done() < many - 1) halfDone.push(done());
  const id = await onlyRun(world);
  expect(await world.errand('wait', id)).toMatchObject({ status: 0 });
  expect((await report(world, id)).sync).toEqual({ written: many - 1, deleted: 1, ignored: 0, conflicts: [] });
  expect(readdirSync(join(world.directory, 'ws')).toSorted()).toEqual(
    names
      .slice(1)
      .map((name) => name.slice(3))
      .toSorted(),
  );
  expect(names.slice(1).filter((name) => read(world, name) !== 'job')).toEqual([]);
  expect(nothingKept(world)).toBe(true);
  expect(places(world.home)).toEqual([]);
});

test('most of those kills came in the middle of the writing', () => {
  expect(halfDone.length).toBeGreaterThan(3);
});

test('links out of the workspace neither take anything out nor bring anything in', async () => {
  await using world = await makeWorld();
  await put(world, { 'ws/d/x': 'x', 'elsewhere/x': 'precious' });
  const go = join(world.directory, 'go');
  const script = `echo in; until [ -e ${go} ]; do sleep 0.02; done; printf evil > d/x; ln -s /etc out; ln -s ../../.. up; mkdir .git; echo x > .git/config`;
  const run = world.start('run', '--workspace', 'ws', '--sync-back', '--script', script);
  await run.says('in');
  await rm(join(world.directory, 'ws/d'), { recursive: true });
  await symlink('../elsewhere', join(world.directory, 'ws/d'));
  await writeFile(go, '');
  const { status, err } = await run.ended;
  expect(status).toBe(0);
  expect(read(world, 'elsewhere/x')).toBe('precious');
  expect(err).toContain('conflict: out has a name or a link target that could lead out');
  expect(readdirSync(join(world.directory, 'ws')).filter((name) => !name.includes('.errand-'))).toEqual(['d']);
  expect(read(world, `ws/d.errand-${await onlyRun(world)}/x`)).toBe('evil');
});

test('refused before anything starts: no workspace, or one that cannot be written', async () => {
  await using world = await makeWorld();
  expect(await world.errand('run', '--sync-back', '--', 'true')).toMatchObject({ status: 125 });
  expect((await world.errand('run', '--sync-back', '--', 'true')).err).toContain('no --workspace');
  expect(places(world.home)).toEqual([]);
});
