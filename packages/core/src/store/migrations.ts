// The schema, as numbered steps that are never edited once released; a new step is appended. All that are missing are
// applied in one transaction under a lock, so of several processes that open a fresh database at once one makes it.
import { ErrandError } from '@errand/contract';
import type { Random } from '../ports.ts';
import type { Database, Dialect, Reader, Transaction } from './database.ts';

type Migration = (words: Dialect) => readonly string[];

const migrations: readonly Migration[] = [
  ({ text, number, serial }) => [
    `CREATE TABLE runs (
      id ${text} PRIMARY KEY, key ${text}, digest TEXT NOT NULL, spec TEXT NOT NULL, status TEXT NOT NULL,
      epoch ${number} NOT NULL, holder TEXT, held_until ${number} NOT NULL, lease ${text}, job TEXT, cancel TEXT,
      cause TEXT, outcome TEXT, problem TEXT, seals TEXT NOT NULL, created_at ${number} NOT NULL,
      started_at ${number}, ended_at ${number}, closed_at ${number})`,
    'CREATE UNIQUE INDEX runs_key ON runs (key) WHERE key IS NOT NULL',
    `CREATE INDEX runs_open ON runs (created_at) WHERE status <> 'closed'`,
    'CREATE INDEX runs_created ON runs (created_at, id)',
    'CREATE INDEX runs_lease ON runs (lease) WHERE lease IS NOT NULL',
    `CREATE TABLE run_labels (
      run ${text} NOT NULL REFERENCES runs (id), name ${text} NOT NULL, value ${text} NOT NULL, PRIMARY KEY (run, name))`,
    'CREATE INDEX run_labels_value ON run_labels (name, value)',
    `CREATE TABLE leases (
      id ${text} PRIMARY KEY, spec TEXT NOT NULL, status TEXT NOT NULL, epoch ${number} NOT NULL, run ${text}, holder TEXT, place TEXT,
      expires_at ${number} NOT NULL, attempts ${number} NOT NULL, retry_at ${number} NOT NULL, problem TEXT,
      created_at ${number} NOT NULL, ended_at ${number})`,
    `CREATE INDEX leases_open ON leases (created_at, id) WHERE status IN ('pending', 'active', 'idle', 'releasing')`,
    'CREATE INDEX leases_created ON leases (created_at, id)',
    'CREATE INDEX leases_run ON leases (run) WHERE run IS NOT NULL',
    `CREATE TABLE events (
      seq ${serial}, at ${number} NOT NULL, subject TEXT NOT NULL, id ${text} NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL)`,
    'CREATE INDEX events_id ON events (id, seq)',
  ],
  () => ['ALTER TABLE runs ADD COLUMN sync TEXT'],
  // Leases that are taken by what they are good for instead of by their id, and how far a place is provisioned.
  ({ text, number }) => [
    `ALTER TABLE leases ADD COLUMN reuse_key ${text}`,
    `ALTER TABLE leases ADD COLUMN used ${number} NOT NULL DEFAULT 0`,
    'ALTER TABLE leases ADD COLUMN provisioning TEXT',
    `CREATE INDEX leases_idle ON leases (reuse_key, expires_at) WHERE status IN ('pending', 'idle')`,
  ],
  // Infrastructure: a record holds from serial `since` to before serial `until`, so that every earlier version can be
  // read back although a change writes only what it changes.
  ({ text, number }) => [
    `CREATE TABLE infra_stacks (
      stack ${text} PRIMARY KEY, format ${number} NOT NULL, lineage TEXT NOT NULL, serial ${number} NOT NULL,
      resources ${number} NOT NULL, updated_at ${number} NOT NULL, epoch ${number} NOT NULL, lock TEXT, held_until ${number} NOT NULL)`,
    `CREATE TABLE infra_records (
      stack ${text} NOT NULL, kind ${text} NOT NULL, name ${text} NOT NULL, since ${number} NOT NULL, until ${number},
      body TEXT NOT NULL, PRIMARY KEY (stack, kind, name, since))`,
    'CREATE INDEX infra_records_now ON infra_records (stack) WHERE until IS NULL',
    'CREATE INDEX infra_records_past ON infra_records (stack, until) WHERE until IS NOT NULL',
    `CREATE TABLE infra_versions (
      stack ${text} NOT NULL, change_set ${text} NOT NULL, serial ${number} NOT NULL, written_by TEXT NOT NULL,
      written_at ${number} NOT NULL, resources ${number} NOT NULL, PRIMARY KEY (stack, change_set))`,
    `CREATE TABLE infra_journal (id ${text} PRIMARY KEY, stack ${text} NOT NULL, entry TEXT NOT NULL)`,
    'CREATE INDEX infra_journal_stack ON infra_journal (stack)',
  ],
];

export const schemaVersion = migrations.length;

interface Meta {
  readonly version: number;
  readonly owner: string | undefined;
}

/** Gives the owner's name. `place` is what a message calls the database. */
export async function migrate(database: Database, place: string, random: Random): Promise<string> {
  const before = await readMeta(database);
  if (before.version === schemaVersion && before.owner !== undefined) return before.owner;
  refuseNewer(before, place);
  return database.transaction(async (tx) => {
    for (const statement of tx.dialect.lockSchema) await tx.all(statement);
    const { version, owner = random.id() } = await readMeta(tx);
    refuseNewer({ version }, place);
    if (version === 0) await tx.run('CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)');
    for (const step of migrations.slice(version)) {
      for (const statement of step(tx.dialect)) await tx.run(statement);
    }
    await keep(tx, 'schema', String(schemaVersion));
    await keep(tx, 'owner', owner);
    return owner;
  });
}

async function readMeta(reader: Reader): Promise<Meta> {
  const [table] = await reader.all(reader.dialect.findTable, ['meta']);
  if (!table) return { version: 0, owner: undefined };
  const meta = new Map((await reader.all('SELECT name, value FROM meta')).map((row) => [row['name'], String(row['value'])]));
  return { version: Number(meta.get('schema') ?? 0), owner: meta.get('owner') };
}

async function keep(tx: Transaction, name: string, value: string): Promise<void> {
  const text = 'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
  await tx.run(text, [name, value]);
}

function refuseNewer(meta: Pick<Meta, 'version'>, place: string): void {
  if (meta.version <= schemaVersion) return;
  throw new ErrandError(
    'store/newer',
    `opened ${place}: a newer Errand has written it (schema ${meta.version}, this one knows up to ${schemaVersion}); nothing was changed`,
    { next: 'Use the newer Errand, or another data directory.' },
  );
}
