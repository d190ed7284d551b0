// What the far side does by itself, and what can be seen there.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ask, needSshd, openWorld, texts } from './bed.ts';

const secret = 'open-sesame-4711';

test('a place that expires with nobody watching is gone, its jobs and directories too', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  const place = await world.acquire(undefined, 3_000);
  const provider = await world.open();
  await provider.runner.start(world.spec(place, 'echo $$ > pid; sleep 300'), world.call('job-doomed'));
  await provider[Symbol.asyncDispose]();
  await sleep(200);
  expect(world.left().length).toBeGreaterThan(3);
  const alive = () => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).includes(world.sshd.root);
  for (const end = Date.now() + 20_000; Date.now() < end && (world.left().length > 0 || alive());) await sleep(100);
  expect(world.left()).toEqual([]);
  expect(alive()).toBe(false);
});

test('release leaves nothing behind, and no process', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const { runner, host } = await world.open();
  await runner.start(
    world.spec(place, "trap '' TERM; (setsid sleep 300 &); while :; do sleep 1; done"),
    world.call('job-stubborn'),
  );
  await host.release({ key: world.placeKey, handle: place }, world.call(world.placeKey));
  expect(world.left()).toEqual([]);
  for (let round = 0; round < 20 && marked(world.sshd.root).length > 0; round++) await sleep(50);
  expect(marked(world.sshd.root)).toEqual([]);
});

/** Processes with our mark in their environment. */
function marked(root: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`).includes(`ERRAND_MARK=${root}`);
    } catch {
      return false;
    }
  });
}

function filesWith(directories: readonly string[], text: string): string[] {
  return directories
    .flatMap((directory) => readdirSync(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

test('a secret is in no file and in no argument of a process', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const { runner } = await world.open();
  let watching = true;
  const lists: string[] = [];
  const watcher = (async () => {
    while (watching) {
      lists.push(execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }));
      await sleep(5);
    }
  })();
  const script = 'test "$TOKEN" = open-sesame-"4711" && echo right; sleep 0.5';
  const handle = await runner.start(
    world.spec(place, script, { secretEnv: { TOKEN: 'secret://env/T' } }),
    world.call('job-secret'),
  );
  expect(filesWith([world.sshd.directory, world.home], secret)).toEqual([]);
  expect((await texts(runner.logs({ key: 'job-secret', handle }, undefined, ask))).stdout).toBe('right\n');
  watching = false;
  await watcher;
  expect(lists.length).toBeGreaterThan(3);
  expect(lists.filter((list) => list.includes(secret))).toEqual([]);
});

test('SIGKILL of the client in mid-run: the next one finds the job by its key alone', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const script = 'echo x >> effects; i=0; while [ $i -lt 30 ]; do echo $i; i=$((i+1)); sleep 0.1; done; cat effects; exit 9';
  const plan = { home: world.home, spec: world.spec(place, script), key: 'job-orphan' };
  const client = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('client.ts', import.meta.url))],
    {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ERRAND_PLAN: JSON.stringify(plan) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let heard = '';
  for await (const data of client.stdout) {
    heard += String(data);
    if (heard.includes('3\n')) break;
  }
  client.kill('SIGKILL');
  const { runner } = await world.open();
  const ref = { key: 'job-orphan' };
  // The same key again adopts it.
  await runner.start(plan.spec, world.call(ref.key));
  const lines = `${Array.from({ length: 30 }, (_, index) => index).join('\n')}\nx\n`;
  expect((await texts(runner.logs(ref, undefined, ask))).stdout).toBe(lines);
  expect(await runner.wait(ref, ask)).toMatchObject({ kind: 'exited', code: 9 });
});

test('a keeper that was killed: its job goes on until it is stopped, and is lost with evidence', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const { runner } = await world.open();
  const handle = await runner.start(world.spec(place, 'sleep 300'), world.call('job-kept'));
  const jobs = join(world.sshd.root, world.owner, 'places', world.placeKey, 'jobs', 'job-kept');
  const keeper = Number(readFileSync(join(jobs, 'claim'), 'utf8').split(' ')[0]);
  process.kill(keeper, 'SIGKILL');
  const waiting = runner.wait({ key: 'job-kept', handle }, ask);
  expect(await Promise.race([waiting.then(() => 'ended'), sleep(1_500).then(() => 'going')])).toBe('going');
  await runner.stop({ key: 'job-kept', handle }, 'force', world.call('job-kept'));
  expect(await waiting).toMatchObject({ kind: 'lost', evidence: expect.stringContaining(String(keeper)) });
});

test('what somebody removed on the far side is put there again', async ({ skip }) => {
  needSshd(skip);
  await using world = await openWorld();
  await world.acquire();
  const provider = await world.open();
  expect(await keysIn(provider.host.inventory(world.owner, ask))).toEqual([world.placeKey]);
  for (const name of readdirSync(world.sshd.root))
    if (name.startsWith('shim-')) execFileSync('rm', [join(world.sshd.root, name)]);
  expect(await keysIn(provider.host.inventory(world.owner, ask))).toEqual([world.placeKey]);
});

async function keysIn(seen: AsyncIterable<{ readonly key: string }>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of seen) keys.push(key);
  return keys;
}
