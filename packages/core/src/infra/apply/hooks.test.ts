import { expect, test } from 'vitest';
import { action, infraBed } from '../../../test/infra-bed.ts';
import type { ApplyHooks } from '../sdk.ts';

test('each is called once in its turn; a refusal before an action takes down what comes after it, and nothing else', async () => {
  await using bed = await infraBed();
  const said: string[] = [];
  const hooks: ApplyHooks = {
    beforeAction: async ({ kind, resource }) => {
      said.push(`before ${kind} ${resource}`);
      if (resource === 'b') throw new Error('not today');
    },
    applied: (record) => void said.push(`applied ${record.name} ${record.providerId === '' ? 'nowhere' : 'somewhere'}`),
    deleted: ({ resource, type }) => void said.push(`deleted ${type} ${resource}`),
    complete: ({ outcomes, serial }) => void said.push(`complete ${outcomes.length} ${serial > 0}`),
  };
  const creations = [
    action('create', 'a', {}),
    action('create', 'b', {}),
    action('create', 'c', {}, { after: ['create b'] }),
    action('create', 'd', {}),
  ];
  const first = await bed.apply(creations, { hooks, parallelism: 1 });
  expect(first.outcomes.map(({ step, status }) => `${step}: ${status}`).toSorted()).toEqual([
    'create a: done',
    'create b: failed',
    'create c: skipped',
    'create d: done',
  ]);
  const refused = first.outcomes.find(({ resource }) => resource === 'b');
  expect(refused).toMatchObject({ error: { message: 'a hook refused to create b: not today' } });
  expect(bed.fake.thing('b')).toBeUndefined();
  expect(await bed.store.journal('default')).toEqual([]);
  expect(said.toSorted()).toEqual([
    'applied a somewhere',
    'applied d somewhere',
    'before create a',
    'before create b',
    'before create d',
    'complete 4 true',
  ]);
  said.length = 0;
  await bed.apply([action('delete', 'a', {})], { hooks });
  expect(said).toEqual(['before delete a', 'deleted fake.thing a', 'complete 1 true']);
  said.length = 0;
  await bed.apply([action('delete', 'd', {})], { hooks, stop: AbortSignal.abort() });
  expect(said).toEqual([]);
  expect(bed.fake.thing('d')).toBeDefined();
});

test('what a hook throws after the fact is told, and the resource stays', async () => {
  await using bed = await infraBed();
  const hooks = {
    applied: () => {
      throw new Error('no room on the board');
    },
    complete: () => Promise.reject(new Error('nobody listens')),
  };
  const result = await bed.apply([action('create', 'a', {})], { hooks });
  expect(result.outcomes).toMatchObject([{ status: 'done' }]);
  expect(result.failures).toEqual([
    { resource: 'a', action: 'applied hook', error: 'no room on the board' },
    { resource: '', action: 'complete hook', error: 'nobody listens' },
  ]);
  expect((await bed.state()).resources.has('a')).toBe(true);
});
