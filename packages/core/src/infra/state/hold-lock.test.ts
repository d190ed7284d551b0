import { expect, test } from 'vitest';
import { createVirtualClock } from '@errand/testkit';
import type { Ports } from '../../ports.ts';
import { systemRandom } from '../../base/random.ts';
import { stateStoreOn } from '../../store/infra/open.ts';
import { migrate } from '../../store/migrations.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { createStateWriter } from './group-commit.ts';
import { holdLock } from './hold-lock.ts';

async function bed() {
  const database = await openSqlite(':memory:');
  await migrate(database, 'a test', systemRandom);
  const store = stateStoreOn(database);
  const clock = createVirtualClock();
  const dead = new Set<number>();
  const as = (pid: number) => {
    const identity = {
      self: { machine: 'm', pid, started: 's' },
      isDead: (holder: { readonly pid: number }) => dead.has(holder.pid),
    };
    const ports: Ports = { clock, random: systemRandom, identity };
    return { ports, store, stack: 'default', owner: `user${pid}@m`, settings: { claimFor: 15_000, beatEvery: 5_000 } };
  };
  return { store, clock, dead, as };
}

test('a lock that is held is refused with who, why, since when and what to do', async () => {
  const { store, as } = await bed();
  await using held = await holdLock(as(1), 'apply plan-1');
  expect(held.lock.epoch).toBe(1);
  await expect(holdLock(as(2), 'x')).rejects.toMatchObject({
    code: 'infra/locked',
    message: /user1@m \(process 1\).*for: apply plan-1/,
    next: /infra unlock/,
  });
  expect((await store.look('default')).lock?.holder.pid).toBe(1);
});

test('a holder that is proven dead is passed over at once, and refused from then on', async () => {
  const { store, clock, dead, as } = await bed();
  const old = await holdLock(as(1), 'apply');
  dead.add(1);
  await using fresh = await holdLock(as(2), 'apply again');
  expect(fresh.lock.epoch).toBe(2);
  const writer = createStateWriter({ store, clock, stack: 'default', epoch: old.lock.epoch, changeSet: 'c', by: 't' });
  await expect(writer.write({ kind: 'drop', name: 'a' })).rejects.toMatchObject({ code: 'infra/fenced' });
  expect(writer.problem()).toMatchObject({ code: 'infra/fenced' });
  await expect(writer.write({ kind: 'drop', name: 'b' })).rejects.toMatchObject({ code: 'infra/fenced' });
  await old[Symbol.asyncDispose]();
  expect((await store.look('default')).lock?.holder.pid).toBe(2);
});

test('writes that come together go in one commit, in order', async () => {
  const { store, clock, as } = await bed();
  await using held = await holdLock(as(1), 'apply');
  let commits = 0;
  const counting = { ...store, commit: (write: Parameters<typeof store.commit>[0]) => (commits++, store.commit(write)) };
  const writer = createStateWriter({ store: counting, clock, stack: 'default', epoch: held.lock.epoch, changeSet: 'c', by: 't' });
  const output = (value: number) => ({ kind: 'put-output', name: 'o', output: { value, sensitive: false } }) as const;
  await Promise.all(Array.from({ length: 50 }, (_, at) => writer.write(output(at))));
  expect(commits).toBe(1);
  expect((await store.read('default')).outputs.get('o')?.value).toBe(49);
  expect((await writer.settled()).serial).toBe(1);
});
