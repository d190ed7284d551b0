import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres, stateConformance } from '@errand/testkit';
import type { PostgresServer } from '@errand/testkit';
import { openStateStore } from '../../src/store/infra/open.ts';
import { action, infraBed } from '../infra-bed.ts';
import { stateBed } from '../state-bed.ts';

const bin = findPostgres();
const missing = 'PostgreSQL is not installed (no initdb and postgres in PATH or /usr/lib/postgresql)';
if (!bin && process.env['CI']) throw new Error(missing);
if (!bin) console.warn(`skipped the infrastructure state on PostgreSQL: ${missing}`);

describe.skipIf(!bin)('with a real server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(bin ?? '');
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  stateConformance('PostgreSQL', async () => {
    const url = await server.createDatabase();
    return stateBed(
      () => openStateStore({ home: '/nonexistent', url }),
      async () => {},
    );
  });

  test('an apply: many at once, answers that are lost, and the next command finishes it', async () => {
    const url = await server.createDatabase();
    await using bed = await infraBed({ store: await openStateStore({ home: '/nonexistent', url }) });
    const names = Array.from({ length: 300 }, (_, index) => `r${index}`);
    const wanted = names.map((name) => action('create', name, { of: name }));
    bed.fake.rule({ on: 'create', calls: [101, 120], fault: { do: 'lose-reply' } });
    const first = await bed.apply(wanted);
    expect(first.outcomes.filter(({ status }) => status === 'done')).toHaveLength(280);
    expect(await bed.store.journal('default')).toHaveLength(20);
    await bed.apply([]);
    expect(await bed.store.journal('default')).toEqual([]);
    const { resources } = await bed.state();
    expect([...resources.keys()].toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(resources.get(name)?.providerId).toBe(bed.fake.thing(name)?.id);
  });
});
