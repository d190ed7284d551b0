// When Errand says that a job has ended, nothing of it is alive: not its group, not what left it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Started } from '../errand.ts';
import { expectNoJob, makeWorld, node, onlyRun, until } from './world.ts';
import type { World } from './world.ts';

/**
 * A shell with a child in its group, and a grandchild in a session of its own whose parent is gone. Each carries the
 * world's marker as an argument too. `ignore`: all of them ignore what can be ignored.
 */
function family(world: World, { ignore = false } = {}): string[] {
  const deaf = ignore ? `for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {});` : '';
  const stay = `${deaf} process.stdout.write('up '); setInterval(() => {}, 1000)`;
  const file = join(world.directory, 'family.cjs');
  writeFileSync(
    file,
    `const { spawn } = require('node:child_process');
    const [kind, marker] = process.argv.slice(2);
    const child = (next, detached) => spawn(process.execPath, [__filename, next, marker], { detached, stdio: 'inherit' });
    if (kind === 'main') { child('member', false); child('go-between', true); ${stay} }
    if (kind === 'go-between') { child('stray', true).unref(); }
    if (kind === 'member' || kind === 'stray') { ${stay} }`,
  );
  return ['--', node, file, 'main', world.marker];
}

const jobs = (world: World) => world.living().filter((one) => one.job);

/** All three are up, and the stray one is nobody's child any more. */
async function up(world: World): Promise<void> {
  await until('the family is up', async () => {
    const ups = jobs(world).filter((one) => /\0(main|member|stray)\0/.test(one.cmdline));
    return ups.length === 3 && jobs(world).length === 3;
  });
}

async function begin(world: World, args: readonly string[], options: { ignore?: boolean } = {}): Promise<Started> {
  const run = world.startWith({ group: true }, 'run', ...args, ...family(world, options));
  await run.says('up up up ');
  await up(world);
  return run;
}

function saysOnErr(run: Started, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    run.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(text)) resolve();
    });
    void run.ended.then(() => reject(new Error(`ended without saying ${text}`)));
  });
}

const pidOf = (run: Started) => run.child.pid ?? 0;

describe('Ctrl-C', () => {
  test.concurrent.each([
    ['sent to the process', 1],
    ['sent to its whole group, as a terminal does', -1],
  ])('%s', async (_name, sign) => {
    await using world = await makeWorld();
    const run = await begin(world, []);
    process.kill(sign * pidOf(run), 'SIGINT');
    // At the moment it is said, not only when Errand has left.
    let said = '';
    let alive: number | undefined;
    run.child.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.includes('nothing of the command is alive')) alive ??= jobs(world).length;
    });
    expect((await run.ended).status).toBe(130);
    expect(alive).toBe(0);
    await expectNoJob(world);
  });

  test.concurrent('pressed twice, it does not wait for the grace', async () => {
    await using world = await makeWorld();
    const run = await begin(world, ['--grace', '10m'], { ignore: true });
    process.kill(-pidOf(run), 'SIGINT');
    await saysOnErr(run, 'once more to force it');
    await sleep(500);
    expect(jobs(world)).toHaveLength(3);
    process.kill(-pidOf(run), 'SIGINT');
    expect((await run.ended).status).toBe(130);
    await expectNoJob(world);
  });
});

describe('a timeout', () => {
  test.concurrent.each([
    ['a family that listens', false],
    ['a family that ignores SIGTERM', true],
  ])('%s', async (_name, ignore) => {
    await using world = await makeWorld();
    const run = world.start('run', '--timeout', '3s', '--grace', '400ms', ...family(world, { ignore }));
    const { status, err, out } = await run.ended;
    expect({ status, out }).toEqual({ status: 124, out: 'up up up ' });
    expect(err).toContain('timed out');
    await expectNoJob(world);
  });

  test.concurrent('holds without anybody who watches', async () => {
    await using world = await makeWorld();
    const run = await begin(world, ['--timeout', '4s', '--grace', '400ms'], { ignore: true });
    run.child.kill('SIGKILL');
    await run.ended;
    await until('the job is gone', () => jobs(world).length === 0, 15_000);
    expect((await world.errand('wait', await onlyRun(world))).status).toBe(124);
  });
});

describe('cancel', () => {
  test.concurrent('from another process; a family that ignores SIGTERM is killed after its grace, not before', async () => {
    await using world = await makeWorld();
    const run = await begin(world, ['--grace', '1500ms'], { ignore: true });
    const id = await onlyRun(world);
    const asked = performance.now();
    const cancelled = world.errand('cancel', id);
    await until('it is gone', () => jobs(world).length === 0);
    expect(performance.now() - asked).toBeGreaterThan(1400);
    expect(await cancelled).toMatchObject({ status: 0, out: `run ${id}: cancelled\n` });
    await expectNoJob(world);
    expect((await run.ended).status).toBe(130);
  });

  test.concurrent('--force does not ask', async () => {
    await using world = await makeWorld();
    const run = await begin(world, ['--grace', '10m'], { ignore: true });
    expect((await world.errand('cancel', '--force', await onlyRun(world))).status).toBe(0);
    await expectNoJob(world);
    expect((await run.ended).status).toBe(130);
  });

  test.concurrent('of a run whose watcher was killed', async () => {
    await using world = await makeWorld();
    const run = await begin(world, ['--grace', '300ms'], { ignore: true });
    run.child.kill('SIGKILL');
    await run.ended;
    const id = await onlyRun(world);
    expect(await world.errand('cancel', id)).toMatchObject({ status: 0, out: `run ${id}: cancelled\n` });
    await expectNoJob(world);
    expect((await world.errand('wait', id)).status).toBe(130);
  });

  test.concurrent('of a finished run says that it had finished, and changes nothing', async () => {
    await using world = await makeWorld();
    expect((await world.errand('run', '--script', 'exit 6')).status).toBe(6);
    const id = await onlyRun(world);
    for (const force of [[], ['--force']]) {
      const { out, status } = await world.errand('cancel', ...force, id);
      expect({ out, status }).toEqual({ out: `run ${id} had finished before: exited 6\n`, status: 0 });
      const json = await world.errand('cancel', '--json', ...force, id);
      expect(JSON.parse(json.out)).toMatchObject({ alreadyFinished: true, outcome: { kind: 'exited', code: 6 } });
    }
    expect((await world.errand('wait', id)).status).toBe(6);
  });
});

test('what a command leaves in the background is gone when its end is told', async () => {
  await using world = await makeWorld();
  const [, program = '', file = '', , marker = ''] = family(world);
  const run = await world.errand(
    'run',
    '--script',
    `${program} ${file} member ${marker} & ${program} ${file} go-between ${marker}; exit 8`,
  );
  expect(run.status).toBe(8);
  await expectNoJob(world);
});
