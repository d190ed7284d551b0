import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lines, makePlace } from './errand.ts';

interface Shown {
  readonly id: string;
  readonly ready: boolean;
}

async function withConfig(environments: string) {
  const place = await makePlace();
  await writeFile(join(place.directory, 'errand.yaml'), `environments:\n${environments}`);
  const leases = async () => lines((await place.errand('leases', '--json')).out) as Shown[];
  return {
    ...place,
    leases,
    /** Nothing may be left alive when the directory goes. */
    [Symbol.asyncDispose]: async () => {
      for (const { id } of await leases()) await place.errand('lease', 'release', id);
      await place[Symbol.asyncDispose]();
    },
  };
}

test('reuse: one place for runs of the same kind, provisioned once, with a clean workspace', async () => {
  await using place = await withConfig('  box: { provider: local, lease: { policy: reuse }, provision: [[touch, ../tool]] }\n');
  const ran = (...words: readonly string[]) => place.errand('run', '--on', 'box', '--quiet', ...words);
  expect(await ran('--script', 'echo mine > note; ls ../tool note')).toMatchObject({ status: 0, out: '../tool\nnote\n' });
  expect(await ran('--', 'ls', '../tool', '.')).toMatchObject({ status: 0, out: '../tool\n\n.:\n' });
  expect((await place.leases()).length).toBe(1);
  expect((await ran('--reuse-label', 'other', '--', 'true')).status).toBe(0);
  expect((await place.leases()).length).toBe(2);
});

test('keep-on-failure: the place of a failed command is kept and said, that of a good one is not', async () => {
  await using place = await withConfig('  box: { provider: local, lease: { policy: keep-on-failure, ttl: 1h } }\n');
  expect((await place.errand('run', '--on', 'box', '--', 'true')).status).toBe(0);
  expect(await place.leases()).toEqual([]);
  const failed = await place.errand('run', '--on', 'box', '--quiet', '--script', 'echo core > dump; exit 9');
  expect(failed.status).toBe(9);
  const [kept] = await place.leases();
  expect(failed.err).toContain(`kept lease ${kept?.id} until `);
  expect(await place.errand('lease', 'exec', kept?.id ?? '', '--', 'cat', 'dump')).toMatchObject({ status: 0, out: 'core\n' });
});

test('a failing provision command is told with its first line, and all of it is in the lease’s log', async () => {
  await using place = await withConfig('  box: { provider: local, provision: ["echo one; echo two >&2; exit 4"] }\n');
  const failed = await place.errand('run', '--on', 'box', '--json', '--', 'true');
  expect(failed.status).toBe(125);
  expect(failed.err).toContain('it exited with 4; its output begins: one');
  const { run } = JSON.parse(failed.out) as { run: { lease: string } };
  expect(await place.errand('logs', run.lease)).toMatchObject({ status: 0, out: 'one\n', err: 'two\n' });
  expect(await place.leases()).toEqual([]);
});

test('warm: a ready place is taken, and the pool fills itself again in the background', async () => {
  await using place = await withConfig('  box: { provider: local, warm: 1 }\n');
  expect(await place.errand('warm')).toMatchObject({ status: 0, out: 'box: 1 of 1 place ready, made 1\n' });
  const [before] = await place.leases();
  expect(before?.ready).toBe(true);
  const ran = await place.errand('run', '--on', 'box', '--json', '--', 'true');
  expect((JSON.parse(ran.out) as { run: { lease: string } }).run.lease).toBe(before?.id);
  for (let tries = 0; tries < 300 && !(await place.leases()).some((lease) => lease.ready); tries++) await sleep(100);
  const after = await place.leases();
  expect(after.map((lease) => lease.ready)).toEqual([true]);
  expect(after[0]?.id).not.toBe(before?.id);
});

test('an environment that is edited under a lease: the lease stays what it was, and everybody is told', async () => {
  await using place = await withConfig('  box: { provider: local, env: { A: "1" } }\n');
  const id = (await place.errand('lease', 'acquire', 'box', '--ttl', '5m', '--quiet')).out.trim();
  expect((await place.errand('config', 'check')).err).toBe('');
  await writeFile(join(place.directory, 'errand.yaml'), 'environments:\n  box: { provider: local, env: { A: "2" } }\n');
  for (const command of [['leases'], ['env', 'list'], ['config', 'check']]) {
    const { status, err } = await place.errand(...command);
    expect([status, err]).toEqual([0, expect.stringContaining(`lease ${id}: it stands on an older 'box'; it stays until `)]);
  }
  await writeFile(join(place.directory, 'errand.yaml'), 'environments: {}\n');
  expect((await place.errand('leases')).err).toContain("the environment 'box' is no longer defined");
  expect(await place.errand('lease', 'exec', id, '--', 'echo', 'alive')).toMatchObject({ status: 0, out: 'alive\n' });
  expect((await place.errand('sweep')).out).toBe('');
});
