// One idempotency key, one effect.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectNothingStarted, makeWorld, onlyRun, runs } from './world.ts';

test('several processes at once: one run, one effect, everybody gets its output and its exit code', async () => {
  await using world = await makeWorld();
  const effect = join(world.directory, 'effect');
  const args = ['run', '--idempotency-key', 'k', '--script', `echo ran >> ${effect}; echo out; echo err >&2; sleep 0.5; exit 37`];
  const all = await Promise.all(Array.from({ length: 5 }, () => world.errand(...args)));
  for (const one of all) expect(one).toMatchObject({ status: 37, out: 'out\n', err: 'err\n' });
  expect(await world.errand(...args)).toMatchObject({ status: 37, out: 'out\n' });
  expect(readFileSync(effect, 'utf8')).toBe('ran\n');
  await onlyRun(world);
});

test('the one that watches is killed: the other goes on with the same run', async () => {
  await using world = await makeWorld();
  const [effect, go] = [join(world.directory, 'effect'), join(world.directory, 'go')];
  const script = `echo ran >> ${effect}; echo one; until [ -e ${go} ]; do sleep 0.05; done; echo two; exit 17`;
  const args = ['run', '--idempotency-key', 'k', '--script', script];
  const first = world.start(...args);
  await first.says('one');
  const second = world.start(...args);
  await second.says('one');
  first.child.kill('SIGKILL');
  await first.ended;
  await writeFile(go, '');
  expect(await second.ended).toMatchObject({ status: 17, out: 'one\ntwo\n' });
  expect(readFileSync(effect, 'utf8')).toBe('ran\n');
  await onlyRun(world);
});

test('with another request the key is refused, while the first goes on and after its end', async () => {
  await using world = await makeWorld();
  const go = join(world.directory, 'go');
  const script = `echo one; until [ -e ${go} ]; do sleep 0.05; done; exit 3`;
  const same = ['--idempotency-key', 'k', '--script', script];
  const others = [
    ['--idempotency-key', 'k', '--script', `${script} `],
    ['--idempotency-key', 'k', '--', 'sh', '-c', script],
    ['--env', 'A=b', ...same],
    ['--timeout', '1h', ...same],
  ];
  const refuse = async () => {
    const ended = await Promise.all(others.map((args) => world.errand('run', '--json', ...args)));
    for (const one of ended) {
      expect(one.status).toBe(125);
      expect(one.err).toMatch(/^errand: .*'k' belongs to run-\w+.*\n {2}next: /);
      expect(JSON.parse(one.out)).toMatchObject({ error: { code: 'run/key-conflict' } });
    }
  };
  const first = world.start('run', ...same);
  await first.says('one');
  await refuse();
  await writeFile(go, '');
  expect((await first.ended).status).toBe(3);
  await refuse();
  expect(await runs(world)).toHaveLength(1);
});

test('a refused request does not use the key up', async () => {
  await using world = await makeWorld();
  const key = ['--idempotency-key', 'k'];
  expect((await world.errand('run', ...key, '--on', 'nowhere', '--', 'true')).status).toBe(125);
  await expectNothingStarted(world);
  expect((await world.errand('run', ...key, '--script', 'exit 4')).status).toBe(4);
});
