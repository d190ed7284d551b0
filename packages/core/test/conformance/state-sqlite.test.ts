import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFakeInfra, stateConformance } from '@errand/testkit';
import { systemClock } from '../../src/base/clock.ts';
import { openBackendStore } from '../../src/infra/state/backend.ts';
import { openStateStore } from '../../src/store/infra/open.ts';
import type { StateStore } from '../../src/store/infra/port.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { stateBed } from '../state-bed.ts';

stateConformance('SQLite', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-state-'));
  return stateBed(
    () => openStateStore({ home }),
    () => rm(home, { recursive: true }),
  );
});

stateConformance("a plugin's backend", async () => {
  const backend = createFakeInfra().infra.stateBackend;
  if (!backend) throw new Error('the fake platform has no state backend');
  let count = 0;
  const open = () => openBackendStore({ backend, name: 'fake', config: {}, holder: `test ${++count}`, clock: systemClock });
  return { ...stateBed(open, async () => {}), keepsVersions: false };
});

const broken = async (sql: string, work: (store: StateStore) => Promise<void>) => {
  const home = await mkdtemp(join(tmpdir(), 'errand-state-'));
  try {
    await using store = await openStateStore({ home });
    const lock = {
      stack: 'default',
      owner: 'me',
      holder: { machine: 'm', pid: 1, started: '' },
      reason: '',
      takenAt: 1,
      heldUntil: 1,
    };
    await store.takeLock(0, lock, 'l');
    const output = { kind: 'put-output', name: 'o', output: { value: 1, sensitive: false } } as const;
    await store.commit({ stack: 'default', epoch: 1, changeSet: 'c', by: 't', now: 1, changes: [output] });
    await using database = await openSqlite(join(home, 'errand.db'));
    await database.transaction((tx) => tx.run(sql));
    await work(store);
    // Nothing is repaired by throwing it away.
    expect((await database.all('SELECT * FROM infra_records')).length).toBe(1);
  } finally {
    await rm(home, { recursive: true });
  }
};

test('a state of a newer Errand is refused, by readers and writers', () =>
  broken('UPDATE infra_stacks SET format = 2', async (store) => {
    await expect(store.read('default')).rejects.toMatchObject({ code: 'state/newer' });
    await expect(store.look('default')).rejects.toMatchObject({ code: 'state/newer' });
    const write = { stack: 'default', epoch: 1, changeSet: 'c', by: 't', now: 1, changes: [] };
    await expect(store.commit(write)).rejects.toMatchObject({ code: 'state/newer' });
  }));

test.each([`'{"value":'`, `'{}'`, `'7'`])('a damaged row is named: %s', (body) =>
  broken(`UPDATE infra_records SET body = ${body}`, async (store) => {
    await expect(store.read('default')).rejects.toMatchObject({ code: 'state/corrupt', message: /output o of stack default/ });
  }),
);
