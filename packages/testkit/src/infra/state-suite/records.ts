import { expect } from 'vitest';
import { drop, entry, lock, put, record, writer } from './bed.ts';
import type { StateScenario } from './bed.ts';

const empty: StateScenario = {
  name: 'a stack that was never written is empty, at serial 0',
  run: async (bed) => {
    const store = await bed.open();
    expect(await store.read('default')).toMatchObject({ stack: 'default', serial: 0, resources: new Map(), outputs: new Map() });
    expect(await store.journal('default')).toEqual([]);
    expect(await store.history('default')).toEqual([]);
    expect(await store.look('default')).toEqual({ epoch: 0, lock: undefined });
  },
};

const readBack: StateScenario = {
  name: 'what is written is read back whole, by another handle, too',
  run: async (bed) => {
    const store = await bed.open();
    const write = writer(store, await lock(store));
    const secret = { $sealed: '1:k:y', $fingerprint: 'g' };
    const outputs = [
      { kind: 'put-output', name: 'dsn', output: { value: secret, sensitive: true } },
      { kind: 'put-output', name: 'list', output: { value: [1, null], sensitive: false } },
    ] as const;
    const head = await write('c1', put('b'), put('a', { deposed: [], tainted: false }), ...outputs);
    expect(head).toMatchObject({ stack: 'default', lineage: 'lineage-1', serial: 1, updatedAt: 7_000 });
    const state = await (await bed.open()).read('default');
    expect([...state.resources]).toStrictEqual([
      ['a', record('a', { deposed: [], tainted: false })],
      ['b', record('b')],
    ]);
    expect(Object.fromEntries(state.outputs)).toStrictEqual({
      dsn: { value: secret, sensitive: true },
      list: { value: [1, null], sensitive: false },
    });
    expect(await (await bed.open()).head('default')).toStrictEqual(head);
  },
};

const changing: StateScenario = {
  name: 'records are replaced and dropped; of several changes for one name the last counts; each commit is one serial',
  run: async (bed) => {
    const store = await bed.open();
    const write = writer(store, await lock(store));
    await write('c1', put('a'), put('b'), put('c'));
    await write('c1', put('a', { status: 'x' }), put('a', { status: 'y' }), drop('b'), drop('never'));
    const head = await write('c1', drop('c'), put('c', { status: 'back' }), { kind: 'drop-output', name: 'none' });
    const { resources } = await store.read('default');
    expect([...resources.values()].map(({ name, status }) => `${name} ${status}`)).toEqual(['a y', 'c back']);
    expect(head.serial).toBe(3);
  },
};

const journal: StateScenario = {
  name: 'the journal keeps open entries in order and loses closed ones; by itself it does not move the serial',
  run: async (bed) => {
    const store = await bed.open();
    const write = writer(store, await lock(store));
    const { providerId: _, outputs: __, sensitive: ___, status: ____, ...intended } = record('a');
    await write('c1', { kind: 'open', entry: entry('e2') }, { kind: 'open', entry: entry('e1', { intended }) });
    expect(await store.journal('default')).toStrictEqual([entry('e1', { intended }), entry('e2')]);
    expect((await store.head('default')).serial).toBe(0);
    await write('c1', { kind: 'close', id: 'e1' }, put('a'), { kind: 'close', id: 'never' });
    expect((await (await bed.open()).journal('default')).map(({ id }) => id)).toEqual(['e2']);
    expect((await store.head('default')).serial).toBe(1);
  },
};

const apart: StateScenario = {
  name: 'stacks do not see each other',
  run: async (bed) => {
    const store = await bed.open();
    await writer(store, await lock(store))('c1', put('a'), { kind: 'open', entry: entry('e1') });
    const other = writer(store, await lock(store, 1, 'prod'), 'prod');
    await other('c2', put('a', { status: 'prod' }), put('b'));
    expect([...(await store.read('default')).resources.keys()]).toEqual(['a']);
    expect([...(await store.read('prod')).resources.keys()]).toEqual(['a', 'b']);
    expect((await store.read('default')).resources.get('a')?.status).toBe('running');
    expect(await store.journal('prod')).toEqual([]);
    await other('c3', drop('a'));
    expect((await store.read('default')).resources.size).toBe(1);
  },
};

const many: StateScenario = {
  name: 'five hundred records in one commit, and fifty commits of ten',
  run: async (bed) => {
    const store = await bed.open();
    const write = writer(store, await lock(store));
    await write('c1', ...Array.from({ length: 500 }, (_, at) => put(`r${at}`)));
    for (let round = 0; round < 50; round++) {
      await write('c2', ...Array.from({ length: 10 }, (_, at) => put(`r${round * 10 + at}`, { status: 'again' })));
    }
    const { resources, serial } = await store.read('default');
    expect([resources.size, serial]).toEqual([500, 51]);
    expect([...resources.values()].every(({ status }) => status === 'again')).toBe(true);
  },
};

export const recordScenarios: readonly StateScenario[] = [empty, readBack, changing, journal, apart, many];
