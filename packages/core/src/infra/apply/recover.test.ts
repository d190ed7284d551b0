import { describe, expect, test } from 'vitest';
import { ErrandError } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import { action, infraBed } from '../../../test/infra-bed.ts';
import type { InfraBed } from '../../../test/infra-bed.ts';

/** The bed after a process that died at the call: its entry is on disk, and its effect on the platform. */
async function died(bed: InfraBed, actions: Parameters<InfraBed['apply']>[0]): Promise<readonly JournalEntry[]> {
  const abort = new AbortController();
  await bed.apply(actions, {
    abort: abort.signal,
    on: (event) => event.kind === 'started' && setTimeout(() => abort.abort(new Error('dead')), 20),
  });
  bed.fake.goodManners();
  return bed.store.journal('default');
}

const replaceOf = (name: string, type: string, region: string) =>
  action(
    'replace',
    name,
    { region },
    {
      type,
      desired: { createBeforeDestroy: true },
      steps: [
        { id: `create ${name}`, do: 'create', after: [] },
        { id: `delete ${name} (deposed k1)`, do: 'delete', after: [`create ${name}`], deposed: 'k1' },
      ],
    },
  );

describe('a creation', () => {
  test('that had its effect is adopted by its key', async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', fault: { do: 'hang-after' } });
    const [entry] = await died(bed, [action('create', 'a', { n: 1 })]);
    await bed.apply([]);
    expect(bed.fake.calls.filter(({ method }) => method === 'create').map(({ key }) => key)).toEqual([entry?.key, entry?.key]);
    expect((await bed.state()).resources.get('a')).toMatchObject({ providerId: bed.fake.thing('a')?.id, config: { n: 1 } });
    expect(await bed.store.journal('default')).toEqual([]);
    expect(bed.events.find(({ kind }) => kind === 'recovered')).toMatchObject({ resource: 'a' });
  });

  test('that had none is cleared, and nothing is made by recovery', async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', fault: { do: 'hang' } });
    expect((await died(bed, [action('create', 'a', {})])).length).toBe(1);
    await bed.apply([]);
    expect(bed.fake.things()).toEqual([]);
    expect((await bed.state()).resources.size).toBe(0);
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('that was half done is finished', async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', fault: { do: 'half', code: 'provider/unreachable' } });
    await died(bed, [action('create', 'a', {})]);
    expect(bed.fake.thing('a')?.ready).toBe(false);
    await bed.apply([]);
    expect(bed.fake.thing('a')?.ready).toBe(true);
    expect((await bed.state()).resources.get('a')?.tainted).toBe(false);
  });

  test("that never reached the platform is not mixed up with somebody else's resource of that name", async () => {
    await using bed = await infraBed();
    bed.fake.rule({ on: 'create', fault: { do: 'hang' } });
    await died(bed, [action('create', 'a', {})]);
    const call = { signal: new AbortController().signal, log: () => {}, secret: async () => '', key: 'theirs', epoch: 1 };
    await bed.fake.infra.drivers.get('fake.thing')?.create({ name: 'a', type: 'fake.thing', config: {}, dependsOn: [] }, call);
    await bed.apply([]);
    expect((await bed.state()).resources.size).toBe(0);
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('is taken for ours by its name where the driver knows no keys', async () => {
    await using bed = await infraBed();
    const driver = bed.fake.infra.drivers.get('fake.thing');
    if (!driver) throw new Error('there is no such driver');
    const keyless = { ...driver, keyless: true };
    Object.assign(bed.parts, { infraOf: async () => ({ ...bed.fake.infra, drivers: new Map([['fake.thing', keyless]]) }) });
    bed.fake.rule({ on: 'create', fault: { do: 'hang-after' } });
    await died(bed, [action('create', 'a', {})]);
    await bed.apply([]);
    expect(bed.fake.count('create')).toBe(1);
    expect((await bed.state()).resources.get('a')?.providerId).toBe(bed.fake.thing('a')?.id);
  });

  test('beside the old self is finished, and the old self is not lost', async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', { region: 'x' }, { type: 'fake.many' })]);
    const old = (await bed.state()).resources.get('a')?.providerId;
    bed.fake.rule({ on: 'create', fault: { do: 'hang-after' } });
    await died(bed, [replaceOf('a', 'fake.many', 'y')]);
    await bed.apply([]);
    const record = (await bed.state()).resources.get('a');
    expect(record?.deposed).toMatchObject([{ key: 'k1', providerId: old }]);
    expect(record?.providerId).not.toBe(old);
    expect(new Set(bed.fake.things().map(({ id }) => id))).toEqual(new Set([old, record?.providerId]));
  });
});

describe('other calls', () => {
  test('a deletion that had its effect drops the record, one that had none keeps it', async () => {
    await using bed = await infraBed();
    await bed.apply(['a', 'b'].map((name) => action('create', name, {})));
    bed.fake.rule({ on: 'delete', name: 'a', fault: { do: 'hang-after' } });
    bed.fake.rule({ on: 'delete', name: 'b', fault: { do: 'hang' } });
    expect(
      (
        await died(
          bed,
          ['a', 'b'].map((name) => action('delete', name, undefined)),
        )
      ).length,
    ).toBe(2);
    await bed.apply([]);
    expect([...(await bed.state()).resources.keys()]).toEqual(['b']);
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test('an update is recorded as it is found: with the new config if it had its effect, else with the old one', async () => {
    await using bed = await infraBed();
    await bed.apply(['a', 'b'].map((name) => action('create', name, { n: 1 })));
    bed.fake.rule({ on: 'update', name: 'a', fault: { do: 'hang-after' } });
    bed.fake.rule({ on: 'update', name: 'b', fault: { do: 'hang' } });
    await died(
      bed,
      ['a', 'b'].map((name) => action('update', name, { n: 2 })),
    );
    await bed.apply([]);
    const { resources } = await bed.state();
    expect(resources.get('a')).toMatchObject({ config: { n: 2 }, outputs: { n: 2 } });
    expect(resources.get('b')).toMatchObject({ config: { n: 1 }, outputs: { n: 1 } });
    expect(await bed.store.journal('default')).toEqual([]);
  });

  test("a replacement of the driver's own is gone through again with its key", async () => {
    await using bed = await infraBed();
    await bed.apply([action('create', 'a', { region: 'x' }, { type: 'fake.replacer' })]);
    bed.fake.rule({ on: 'replace', fault: { do: 'hang-after' } });
    await died(bed, [action('replace', 'a', { region: 'y' }, { type: 'fake.replacer' })]);
    await bed.apply([]);
    expect((await bed.state()).resources.get('a')?.providerId).toBe(bed.fake.thing('a')?.id);
    expect(bed.fake.things().length).toBe(1);
  });
});

test('what cannot be found out now stays open, and the step that comes next uses the key it had', async () => {
  await using bed = await infraBed();
  bed.fake.rule({ on: 'create', fault: { do: 'hang-after' } });
  const [entry] = await died(bed, [action('create', 'a', {})]);
  bed.fake.rule({ on: 'read', fault: { do: 'refuse', code: 'provider/unreachable' } });
  const { outcomes } = await bed.apply([action('create', 'a', {})]);
  expect(outcomes).toMatchObject([{ status: 'done' }]);
  expect(bed.fake.calls.findLast(({ method }) => method === 'create')?.key).toBe(entry?.key);
  expect(bed.fake.things().length).toBe(1);
  expect(await bed.store.journal('default')).toEqual([]);
});

test('recovery that dies itself is begun again', async () => {
  await using bed = await infraBed();
  bed.fake.rule({ on: 'create', fault: { do: 'hang-after' } });
  await died(
    bed,
    ['a', 'b', 'c'].map((name) => action('create', name, {})),
  );
  const commit = bed.store.commit.bind(bed.store);
  let commits = 0;
  Object.assign(bed.store, {
    commit: (write: Parameters<typeof commit>[0]) =>
      ++commits === 1 ? Promise.reject(new ErrandError('disk/full', 'no room')) : commit(write),
  });
  await expect(bed.apply([])).rejects.toMatchObject({ code: 'disk/full' });
  Object.assign(bed.store, { commit });
  await bed.apply([]);
  expect([...(await bed.state()).resources.keys()]).toEqual(['a', 'b', 'c']);
  expect(bed.fake.things().length).toBe(3);
});
