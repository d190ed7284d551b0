// A disk that is full: said with the next step, and what was under way goes on once there is room.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { lines } from '../errand.ts';
import { expectNothingStarted, makeWorld, needs, onlyRun, places, runs, until } from './world.ts';
import type { World } from './world.ts';

interface Disk extends Disposable {
  readonly home: string;
  /** Leaves so many bytes free. */
  fill(free: number): void;
  free(): void;
}

/** A small disk of its own for the world's data directory, or for a part of it. */
function makeDisk(context: TestContext, world: World, megabytes: number, part = ''): Disk {
  const home = join(world.home, part);
  mkdirSync(home, { mode: 0o700, recursive: true });
  needs(context, 'the right to mount a tmpfs', mounts(home, megabytes));
  const ballast = join(home, 'ballast');
  return {
    home,
    fill(free) {
      const { bavail, bsize } = statfsSync(home);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - free)));
    },
    free: () => rmSync(ballast),
    // Lazily, because a process of a failed test may still stand in it.
    [Symbol.dispose]: () => void execFileSync('umount', ['-l', home]),
  };
}

function mounts(directory: string, megabytes: number): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'errand-test', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('at the start', () => {
  test.concurrent('no room at all', async (context) => {
    await using world = await makeWorld();
    using disk = makeDisk(context, world, 4);
    disk.fill(0);
    const ended = await world.errand('run', '--json', '--', 'true');
    expect(ended.status).toBe(125);
    expect(JSON.parse(ended.out)).toMatchObject({
      error: { code: 'disk/full', next: expect.stringContaining('Free some space') },
    });
    expect(ended.err).toMatch(/^errand: .*full.*\n {2}next: Free some space/);
    disk.free();
    await expectNothingStarted(world);
    expect((await world.errand('run', '--script', 'exit 3')).status).toBe(3);
  });

  // Each amount is enough for some of the steps from the first row to the last.
  test.concurrent.for([64, 160, 200, 228, 240, 252, 268, 300])('room for %i KiB', async (room, context) => {
    await using world = await makeWorld();
    using disk = makeDisk(context, world, 4);
    disk.fill(room * 1024);
    const effect = join(world.directory, 'effect');
    // The job's own writes may meet the end of the disk too; this one insists.
    const script = `echo ran >> ${effect}; sleep 0.5; until echo out; do sleep 0.2; done; exit 3`;
    const ended = await world.errand('run', '--json', '--timeout', '60s', '--script', script);
    if (ended.status !== 3) {
      expect(ended.status).toBe(125);
      expect(ended.out).toContain('"code":"disk/full"');
      expect(ended.err).toMatch(/\n {2}next: .*Free some space/);
    }
    disk.free();
    const [open] = await runs(world);
    // Refused at the start it never was; once recorded, it is finished as it was asked for, or says why not.
    if (open) {
      const waited = await world.errand('wait', '--json', open.id);
      expect([3, 125]).toContain(waited.status);
      if (waited.status === 3) {
        expect(readFileSync(effect, 'utf8')).toBe('ran\n');
        expect((await world.errand('logs', open.id)).out).toBe('out\n');
      } else {
        // There may have been no room to write down why it was not started.
        expect(waited.out).toMatch(/"code":"(disk\/full|run\/not-started)"/);
        expect(existsSync(effect)).toBe(false);
      }
    } else {
      expect(existsSync(effect)).toBe(false);
    }
    expect((await world.errand('sweep')).status).toBe(0);
    expect(places(disk.home)).toEqual([]);
    expect(lines((await world.errand('leases', '--json')).out)).toEqual([]);
    await until('nothing is alive', () => world.living().length === 0);
  });
});

describe('in the middle of much output', () => {
  const count = 900_000;
  const whole = () => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('');

  /** Knows nothing of full disks: what it writes is held up until there is room. */
  const careless = `seq 1 ${count} || exit 1; exit 19`;

  /** The message says what happened, what to do, and how to go on; a full disk may not even be read. */
  function watchedRun(err: string): string {
    const said = /^errand: stopped watching run (\S+): .*\n {2}next: Free some space.*errand wait (\S+) /.exec(err);
    expect(said, err).not.toBeNull();
    expect(said?.[1]).toBe(said?.[2]);
    return said?.[1] ?? '';
  }

  // The watcher gives up when it cannot keep its claim any more, which takes a while.
  test.concurrent('the job goes on when there is room again; its exit is exact and the log whole', async (context) => {
    await using world = await makeWorld();
    using disk = makeDisk(context, world, 40);
    disk.fill(4 << 20);
    const run = await world.errand('run', '--script', careless);
    expect(run.status).toBe(125);
    const id = watchedRun(run.err);
    expect(whole().startsWith(run.out)).toBe(true);
    expect(world.living().filter((one) => one.job)).not.toHaveLength(0);
    // Not before there is room, and not without saying why.
    const early = await world.errand('wait', id);
    expect(early.status).toBe(125);
    expect(early.err).toContain('next: Free some space');
    disk.free();
    expect((await world.errand('wait', id)).status).toBe(19);
    expect((await world.errand('logs', id)).out === whole()).toBe(true);
    expect(places(disk.home)).toEqual([]);
  });

  test.concurrent('a job with a secret does not even notice', async (context) => {
    await using world = await makeWorld({ THE_TOKEN: 'sesame-open-4711' });
    using disk = makeDisk(context, world, 40);
    disk.fill(4 << 20);
    const script = `seq 1 ${count} || exit 1; echo "$TOKEN"; exit 19`;
    const run = await world.errand('run', '--secret', 'TOKEN=secret://env/THE_TOKEN', '--script', script);
    expect(run.status).toBe(125);
    const id = watchedRun(run.err);
    disk.free();
    expect((await world.errand('wait', id)).status).toBe(19);
    expect((await world.errand('logs', id)).out === `${whole()}[redacted]\n`).toBe(true);
    expect(places(disk.home)).toEqual([]);
  });

  test('the job ended meanwhile: its exit is exact and the log whole', async (context) => {
    await using world = await makeWorld();
    // The log has a disk of its own, so that it cannot link to the output and has to copy.
    using disk = makeDisk(context, world, 40, 'logs');
    const done = join(world.directory, 'done');
    // All of it is written before anybody reads it, so that only the copying meets the end of the disk.
    const lease = (await world.errand('lease', 'acquire', 'local')).out.trim();
    const run = world.start('lease', 'exec', lease, '--script', `echo begin; sleep 1; seq 1 ${count}; touch ${done}; exit 19`);
    await run.says('begin');
    run.child.kill('SIGKILL');
    await run.ended;
    await until('the job is done', () => existsSync(done));
    disk.fill(3 << 20);
    const id = await onlyRun(world);
    const early = await world.errand('wait', id);
    expect(early.status).toBe(125);
    expect(early.err).toMatch(/\n {2}next: Free some space/);
    disk.free();
    expect((await world.errand('wait', id)).status).toBe(19);
    expect((await world.errand('logs', id)).out === `begin\n${whole()}`).toBe(true);
  });
});
