// SIGSTOP past the claim, a takeover, SIGCONT: the old watcher writes nothing that counts, follows, and ends as the run did.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeWorld, onlyRun, places, until } from './world.ts';
import type { World } from './world.ts';

/** A claim holds for 15 s after the last sign of life; this is the shipped program, so it takes that long. */
const patience = 40_000;

interface Shown {
  readonly run: { readonly status: string; readonly outcome?: unknown };
  readonly events: readonly { readonly type: string; readonly data: unknown }[];
}

async function shown(world: World, id: string): Promise<Shown> {
  return JSON.parse((await world.errand('show', '--json', id)).out) as Shown;
}

/** Prints a number every 20 ms until it may end. */
function counting(world: World) {
  const go = join(world.directory, 'go');
  const effect = join(world.directory, 'effect');
  const script = `echo ran >> ${effect}; mkdir out; echo kept > out/x; i=0
    until [ -e ${go} ]; do i=$((i + 1)); echo $i; sleep 0.02; done; echo end; exit 33`;
  const args = ['run', '--collect', 'out/**', '--out', 'got', '--script', script];
  return { args, effect, end: () => writeFile(go, '') };
}

function expectOnceInOrder(out: string): void {
  const all = out.split('\n');
  expect(all.slice(-2)).toEqual(['end', '']);
  const numbers = all.slice(0, -2);
  expect(numbers.length).toBeGreaterThan(100);
  expect(numbers).toEqual(numbers.map((_, i) => String(i + 1)));
}

const cases = [
  ['while the job is still going', false],
  ['when the run is closed', true],
] as const;

test.concurrent.each(cases)('it goes on %s', async (_name, closedFirst) => {
  await using world = await makeWorld();
  const job = counting(world);
  const first = world.start(...job.args);
  await first.says('5\n');
  const id = await onlyRun(world);
  first.child.kill('SIGSTOP');
  const second = world.start('wait', id);
  const log = (epoch: number) => join(world.home, 'logs', id, `${epoch}.log`);
  await until('the second one has taken over', () => sizeOf(log(2)) > 0, patience);
  if (closedFirst) {
    await job.end();
    expect((await second.ended).status).toBe(33);
  }
  const before = await shown(world, id);
  first.child.kill('SIGCONT');
  if (!closedFirst) {
    await sleep(1500);
    expect((await shown(world, id)).events).toEqual(before.events);
    // It has noticed: what it captured in the first moment does not go on.
    const size = sizeOf(log(1));
    await sleep(500);
    expect(sizeOf(log(1))).toBe(size);
    await job.end();
    expect((await second.ended).status).toBe(33);
  }
  const ended = await first.ended;
  expect(ended.status).toBe(33);
  expectOnceInOrder(ended.out);
  expectOnceInOrder((await world.errand('logs', id)).out);
  const after = await shown(world, id);
  expect(after.run).toMatchObject({ status: 'closed', outcome: { kind: 'exited', code: 33 } });
  if (closedFirst) expect(after.events).toEqual(before.events);
  expect(readFileSync(job.effect, 'utf8')).toBe('ran\n');
  expect(readFileSync(join(world.directory, 'got/out/x'), 'utf8')).toBe('kept\n');
  expect(places(world.home)).toEqual([]);
  expect(world.living()).toEqual([]);
});

function sizeOf(path: string): number {
  try {
    return readFileSync(path).length;
  } catch {
    return 0;
  }
}
