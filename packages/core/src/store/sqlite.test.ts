import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { schemaVersion } from './migrations.ts';
import { openStore, openStoreOn } from './open.ts';
import { openSqlite } from './sqlite.ts';

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

async function makeHome() {
  const home = await mkdtemp(join(tmpdir(), 'errand-store-'));
  return { home, file: join(home, 'errand.db'), [Symbol.asyncDispose]: () => rm(home, { recursive: true }) };
}

test('a file that is no database is named, and left as it is', async () => {
  await using place = await makeHome();
  const content = 'this was never a database\n'.repeat(50);
  await writeFile(place.file, content);
  const opened = openStore({ home: place.home });
  await expect(opened).rejects.toMatchObject({ code: 'store/corrupt', next: expect.stringContaining('move it aside') });
  await expect(opened).rejects.toThrow(place.file);
  expect(await readFile(place.file, 'utf8')).toBe(content);
  expect(await readdir(place.home)).toStrictEqual(['errand.db']);
});

test('a damaged database is told from an unusable directory, and its bytes are kept', async () => {
  await using place = await makeHome();
  await (await openStore({ home: place.home }))[Symbol.asyncDispose]();
  const bytes = await readFile(place.file);
  bytes.fill(0x5a, 100);
  await writeFile(place.file, bytes);
  await expect(openStore({ home: place.home })).rejects.toMatchObject({ code: 'store/corrupt' });
  expect(await readFile(place.file)).toStrictEqual(bytes);
});

test('a schema from the future is refused and left alone', async () => {
  await using place = await makeHome();
  await (await openStore({ home: place.home }))[Symbol.asyncDispose]();
  const version = String(schemaVersion + 1);
  const raw = new DatabaseSync(place.file);
  raw.prepare(`UPDATE meta SET value = ? WHERE name = 'schema'`).run(version);
  raw.close();
  const opened = openStore({ home: place.home });
  await expect(opened).rejects.toMatchObject({ code: 'store/newer' });
  await expect(opened).rejects.toThrow(place.file);
  const after = new DatabaseSync(place.file);
  expect(after.prepare(`SELECT value FROM meta WHERE name = 'schema'`).get()).toMatchObject({ value: version });
  after.close();
});

test('a home that cannot be made or written is said to be so', async () => {
  await using place = await makeHome();
  await writeFile(join(place.home, 'file'), '');
  const below = openStore({ home: join(place.home, 'file', 'home') });
  await expect(below).rejects.toMatchObject({ code: 'home/unwritable', next: expect.stringContaining('ERRAND_HOME') });
  await expect(openStore({ home: join(place.home, 'file') })).rejects.toMatchObject({ code: 'home/unwritable' });
  if (process.getuid?.() === 0) return console.warn('not tried with a read-only directory: root may write to it all the same');
  await chmod(place.home, 0o500);
  await expect(openStore({ home: place.home })).rejects.toMatchObject({ code: 'home/unwritable' });
  await chmod(place.home, 0o700);
});

test('a read-only database is refused at the first write, with nothing written', async () => {
  const database = await openSqlite(':memory:');
  await using store = await openStoreOn(database, { own: true });
  await database.all('PRAGMA query_only = 1');
  await expect(store.openRun({ id: 'run-1', ...run })).rejects.toMatchObject({ code: 'home/unwritable' });
  expect(await store.runs({})).toStrictEqual([]);
});

test('a full database undoes the transaction and goes on when there is room again', async () => {
  const database = await openSqlite(':memory:');
  await using store = await openStoreOn(database, { own: true });
  const [pages] = await database.all('PRAGMA page_count');
  await database.all(`PRAGMA max_page_count = ${String(pages?.['page_count'])}`);
  const large = { ...spec, env: { X: 'x'.repeat(1_000_000) } };
  const both = store.transaction(async (tx) => {
    await tx.openRun({ id: 'run-1', ...run });
    await tx.openRun({ id: 'run-2', ...run, spec: large });
  });
  await expect(both).rejects.toMatchObject({ code: 'disk/full', retry: 'later' });
  expect(await store.runs({})).toStrictEqual([]);
  await database.all('PRAGMA max_page_count = 100000');
  await store.openRun({ id: 'run-2', ...run, spec: large });
  expect((await store.runs({})).length).toBe(1);
});

test('the files are for their owner only', async () => {
  await using place = await makeHome();
  const home = join(place.home, 'deep', 'home');
  await using store = await openStore({ home });
  await store.openRun({ id: 'run-1', ...run });
  expect((await stat(home)).mode & 0o777).toBe(0o700);
  const files = await readdir(home);
  expect(files.toSorted()).toStrictEqual(['errand.db', 'errand.db-shm', 'errand.db-wal']);
  for (const file of files) expect((await stat(join(home, file))).mode & 0o777).toBe(0o600);
});

test('a lock that stays is waited for without blocking the event loop, and then reported', async () => {
  await using place = await makeHome();
  await (await openStore({ home: place.home }))[Symbol.asyncDispose]();
  await using store = await openStoreOn(await openSqlite(place.file, { patience: 400 }), { own: true });
  const other = new DatabaseSync(place.file);
  other.exec('BEGIN IMMEDIATE');
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await expect(store.openRun({ id: 'run-1', ...run })).rejects.toMatchObject({ code: 'store/busy', retry: 'safe' });
  expect(ticks).toBeGreaterThan(5);
  clearInterval(timer);
  expect(await store.runs({})).toStrictEqual([]);
  const late = store.openRun({ id: 'run-2', ...run });
  setTimeout(() => other.exec('ROLLBACK'), 50);
  expect((await late).created).toBe(true);
  other.close();
});

test('a transaction that is used after its end is a bug that is named', async () => {
  await using store = await openStoreOn(await openSqlite(':memory:'), { own: true });
  const kept = await store.transaction(async (tx) => ({ tx }));
  await expect(kept.tx.openRun({ id: 'run-1', ...run })).rejects.toMatchObject({ code: 'internal/bug' });
  expect(await store.run('run-1')).toBe(undefined);
});

test('four processes that open one fresh file at once and write to it lose nothing', async () => {
  await using place = await makeHome();
  const code = `
    const [open, home, name, run] = process.argv.slice(1);
    const { openStore } = await import(open);
    await using store = await openStore({ home });
    for (let count = 0; count < 100; count++) await store.openRun({ ...JSON.parse(run), id: name + '-' + count, key: 'key-' + count });
    console.log(store.owner);`;
  const open = new URL('./open.ts', import.meta.url).href;
  const args = (name: string) => ['--input-type=module', '-e', code, open, place.home, name, JSON.stringify(run)];
  const ran = await Promise.all(['a', 'b', 'c', 'd'].map((name) => promisify(execFile)(process.execPath, args(name))));
  await using store = await openStore({ home: place.home });
  expect(ran.map(({ stdout }) => stdout.trim())).toStrictEqual(Array.from({ length: 4 }, () => store.owner));
  const runs = await store.runs({});
  expect(new Set(runs.map((row) => row.key)).size).toBe(100);
  expect(runs.length).toBe(100);
  expect((await store.events({})).length).toBe(100);
});

test('a database of the first schema is brought up to date, and its leases are what they were', async () => {
  await using place = await makeHome();
  const lease = { id: 'lease-1', spec, expiresAt: 50, now: 1 };
  {
    await using store = await openStore({ home: place.home });
    await store.openLease(lease);
  }
  const old = new DatabaseSync(place.file);
  for (const table of ['stacks', 'records', 'versions', 'journal']) old.exec(`DROP TABLE infra_${table}`);
  old.exec('DROP INDEX leases_idle');
  for (const column of ['reuse_key', 'used', 'provisioning']) old.exec(`ALTER TABLE leases DROP COLUMN ${column}`);
  old.exec('ALTER TABLE runs DROP COLUMN sync');
  const later = old.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'infra_%'").all();
  for (const { name } of later) old.exec(`DROP TABLE ${String(name)}`);
  old.exec(`UPDATE meta SET value = '1' WHERE name = 'schema'`);
  old.close();
  await using store = await openStore({ home: place.home });
  expect(await store.lease('lease-1')).toMatchObject({
    reuseKey: undefined,
    used: false,
    provisioning: undefined,
    expiresAt: 50,
  });
  await store.advanceLease('lease-1', 1, 'granted', {}, 2);
  await store.advanceLease('lease-1', 1, 'park', {}, 3);
  const wanted = { keys: ['a'], run: 'run-1', lastsUntil: 0, now: 4 };
  expect(await store.takeIdle(wanted)).toBe(undefined);
  expect(await store.openWarm({ ...lease, id: 'lease-2', reuseKey: 'a' }, 1)).toMatchObject({ id: 'lease-2' });
});
