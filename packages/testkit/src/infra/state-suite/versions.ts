import { expect } from 'vitest';
import { drop, lock, put, refusal, writer } from './bed.ts';
import type { StateScenario } from './bed.ts';

const history: StateScenario = {
  name: 'a change set is one version, however many commits it took; earlier ones are read back as they were',
  run: async (bed) => {
    const store = await bed.open();
    const write = writer(store, await lock(store));
    await write('c1', put('a'));
    await write('c1', put('b'), { kind: 'put-output', name: 'o', output: { value: 1, sensitive: false } });
    await write('c2', put('a', { status: 'changed' }), drop('b'));
    const last = await write('c3', put('c'), { kind: 'drop-output', name: 'o' });
    const versions = await store.history('default');
    expect(versions[0]).toMatchObject({
      serial: last.serial,
      by: 'test c3',
      resources: 2,
      updatedAt: 7_000,
      lineage: 'lineage-1',
    });
    expect(await refusal(store.version('default', 99))).toBe('state/unknown');
    const shown = async (serial: number) => {
      const { resources, outputs } = await store.version('default', serial);
      return [[...resources.values()].map(({ name, status }) => `${name} ${status}`), [...outputs.keys()]];
    };
    expect(await shown(4)).toEqual([['a changed', 'c running'], []]);
    if (!bed.keepsVersions) return;
    expect(versions.map(({ serial, by, resources }) => [serial, by, resources])).toEqual([
      [4, 'test c3', 2],
      [3, 'test c2', 1],
      [2, 'test c1', 2],
    ]);
    expect(await shown(2)).toEqual([['a running', 'b running'], ['o']]);
    expect(await shown(3)).toEqual([['a changed'], ['o']]);
  },
};

const pruning: StateScenario = {
  name: 'the history does not grow for ever, and what it keeps stays readable',
  run: async (bed) => {
    const store = await bed.open();
    const write = writer(store, await lock(store));
    for (let at = 1; at <= 130; at++) await write(`c${at}`, put('a', { status: `s${at}` }), put(`r${at % 7}`));
    const versions = await store.history('default');
    expect(versions[0]?.serial).toBe(130);
    expect((await store.read('default')).resources.get('a')?.status).toBe('s130');
    if (!bed.keepsVersions) return;
    expect(versions.length).toBe(100);
    const oldest = versions.at(-1)?.serial ?? 0;
    expect((await store.version('default', oldest)).resources.get('a')?.status).toBe(`s${oldest}`);
    expect((await store.version('default', oldest)).resources.size).toBe(8);
    expect(await refusal(store.version('default', oldest - 1))).toBe('state/unknown');
  },
};

export const versionScenarios: readonly StateScenario[] = [history, pruning];
