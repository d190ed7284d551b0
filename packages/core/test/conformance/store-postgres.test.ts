import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres, storeBed, storeConformance } from '@errand/testkit';
import type { PostgresServer } from '@errand/testkit';
import { openStore } from '../../src/store/open.ts';
import { schemaVersion } from '../../src/store/migrations.ts';
import { openPostgres } from '../../src/store/postgres.ts';

const spec = {
  environment: 'local',
  provider: 'local',
  options: {},
  command: { argv: ['true'] },
  env: {},
  secretEnv: {},
  resources: {},
  grace: 1,
  ttl: 1,
  labels: {},
  collect: [],
};

const run = { digest: 'd', spec, now: 1 };
const open = (url: string) => openStore({ home: '/nonexistent', url });

const bin = findPostgres();
const missing = 'PostgreSQL is not installed (no initdb and postgres in PATH or /usr/lib/postgresql)';
if (!bin && process.env['CI']) throw new Error(missing);
if (!bin) console.warn(`skipped the PostgreSQL store: ${missing}`);

describe.skipIf(!bin)('with a real server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(bin ?? '');
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  storeConformance('PostgreSQL', async () => {
    const url = await server.createDatabase();
    return storeBed(
      () => open(url),
      async () => {},
    );
  });

  test('connections that are dropped are made anew, also the one that listens', async () => {
    const url = await server.createDatabase();
    await using store = await open(url);
    await using other = await open(url);
    await store.openRun({ id: 'run-1', ...run });
    let heard = 0;
    using watching = store.watch(() => heard++);
    void watching;
    await sleep(200);
    await server.dropConnections();
    expect(await store.run('run-1')).toMatchObject({ status: 'queued' });
    await store.openRun({ id: 'run-2', ...run });
    expect((await other.runs({})).length).toBe(2);
    // Prompt news three times in a row: the pulse that goes on without a connection is too slow for that.
    let prompt = 0;
    for (let round = 0; round < 50 && prompt < 3; round++) {
      heard = 0;
      await other.openRun({ id: `more-${round}`, ...run });
      await sleep(100);
      prompt = heard > 0 ? prompt + 1 : 0;
    }
    expect(prompt).toBe(3);
  });

  test('a connection that is lost inside a transaction leaves nothing, and the work is done again', async () => {
    await using store = await open(await server.createDatabase());
    let tries = 0;
    await store.transaction(async (tx) => {
      await tx.openRun({ id: 'run-1', ...run });
      if (++tries === 1) await server.dropConnections();
      await tx.openRun({ id: 'run-2', ...run });
    });
    expect(tries).toBe(2);
    expect((await store.events({})).map((event) => event.id)).toStrictEqual(['run-1', 'run-2']);
  });

  test('transactions that lock each other out are repeated', async () => {
    await using store = await open(await server.createDatabase());
    for (const id of ['a', 'b']) await store.openRun({ id, ...run });
    const meet = Promise.withResolvers<void>();
    let inside = 0;
    const both = (first: string, second: string) =>
      store.transaction(async (tx) => {
        await tx.cancelRun(first, 'ask', 2);
        if (++inside === 2) meet.resolve();
        await meet.promise;
        await tx.noteRun(second, 0, { problem: first }, 3);
      });
    await Promise.all([both('a', 'b'), both('b', 'a')]);
    expect(inside).toBeGreaterThan(2);
    expect((await store.runs({})).map((row) => [row.id, row.cancel, row.problem])).toStrictEqual([
      ['b', 'ask', 'a'],
      ['a', 'ask', 'b'],
    ]);
  });

  test('a schema from the future is refused and left alone', async () => {
    const url = await server.createDatabase();
    await (await open(url))[Symbol.asyncDispose]();
    await using database = await openPostgres(url);
    await database.transaction((tx) => tx.run(`UPDATE meta SET value = $1 WHERE name = 'schema'`, [String(schemaVersion + 1)]));
    await expect(open(url)).rejects.toMatchObject({ code: 'store/newer' });
  });

  test('a database that is not there is a refusal that says so', async () => {
    const url = (await server.createDatabase()).replace(/errand_\d+/, 'missing');
    await expect(open(url)).rejects.toMatchObject({ code: 'store/unreachable', retry: 'never' });
  });
});

test('a server that cannot be reached is named, its password is not', async () => {
  const failed = openStore({ home: '/nonexistent', url: 'postgres://me:hunter22@127.0.0.1:1/errand' });
  const error: unknown = await failed.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'store/unreachable', retry: 'later' });
  expect((error as Error).message).toContain('127.0.0.1:1/errand');
  expect(JSON.stringify([String(error), (error as Error).stack, error])).not.toContain('hunter22');
});

test('a URL that is none is refused without being quoted', async () => {
  for (const url of ['postgres://me:hunter22@host:port:x/%', 'mysql://me:hunter22@host/x']) {
    const failed = openStore({ home: '/nonexistent', url });
    const error: unknown = await failed.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'config/invalid' });
    expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain('hunter22');
  }
});
