// The only writer of records, outputs and journal. One transaction: fence, rows, journal, version.
import { ErrandError } from '@errand/contract';
import type { StateHead } from '../../model/infra/record.ts';
import type { Transaction } from '../database.ts';
import type { StateWrite } from './port.ts';
import { stackRow } from './rows.ts';
import type { StackRow } from './rows.ts';

/** Versions that `state history` keeps. */
export const keptVersions = 100;

/** By `kind name`: the new body, or null for what goes. */
type Rows = Map<string, { readonly kind: string; readonly name: string; readonly body: string | null }>;

export async function commitState(tx: Transaction, write: StateWrite): Promise<StateHead> {
  const { stack, now } = write;
  const lineage = write.lineage === undefined ? {} : { lineage: write.lineage };
  const before = { ...(await fence(tx, write)), ...lineage };
  await writeJournal(tx, write);
  const rows = changedRows(write);
  if (rows.size === 0 && !write.whole) return headOf(before);
  const serial = before.serial + 1;
  let resources = write.whole ? 0 : before.resources;
  if (write.whole) await tx.run('UPDATE infra_records SET until = $2 WHERE stack = $1 AND until IS NULL', [stack, serial]);
  for (const { kind, name, body } of rows.values()) {
    const ended = await tx.run(
      'UPDATE infra_records SET until = $4 WHERE stack = $1 AND kind = $2 AND name = $3 AND until IS NULL',
      [stack, kind, name, serial],
    );
    if (body !== null) {
      const text = 'INSERT INTO infra_records (stack, kind, name, since, until, body) VALUES ($1, $2, $3, $4, NULL, $5)';
      await tx.run(text, [stack, kind, name, serial, body]);
    }
    if (kind === 'resource') resources += (body === null ? 0 : 1) - ended;
  }
  const head = 'UPDATE infra_stacks SET serial = $2, resources = $3, updated_at = $4, lineage = $5 WHERE stack = $1';
  await tx.run(head, [stack, serial, resources, now, before.lineage]);
  await writeVersion(tx, write, serial, resources);
  return headOf({ ...before, serial, updated_at: now });
}

async function fence(tx: Transaction, { stack, epoch }: StateWrite): Promise<StackRow> {
  const row = await stackRow(tx, stack, tx.dialect.forUpdate);
  if (row?.epoch === epoch) return row;
  throw fenced(stack, epoch, row?.epoch);
}

export function fenced(stack: string, epoch: number, current: number | undefined): ErrandError {
  const now = current === undefined ? 'nobody holds it' : `epoch ${current} holds it now`;
  return new ErrandError(
    'infra/fenced',
    `wrote to the state of stack ${stack}: the lock was taken away (${now}; epoch ${epoch} is refused), nothing was written`,
    { next: 'See who has it with `errand infra unlock`; what this command began is recovered by the next one.' },
  );
}

async function writeJournal(tx: Transaction, { stack, changes }: StateWrite): Promise<void> {
  for (const change of changes) {
    if (change.kind === 'close') await tx.run('DELETE FROM infra_journal WHERE id = $1', [change.id]);
    if (change.kind !== 'open') continue;
    const values = [change.entry.id, stack, JSON.stringify(change.entry)];
    await tx.run('INSERT INTO infra_journal (id, stack, entry) VALUES ($1, $2, $3)', values);
  }
}

function changedRows({ changes }: StateWrite): Rows {
  const rows: Rows = new Map();
  const set = (kind: string, name: string, body: string | null) => rows.set(`${kind} ${name}`, { kind, name, body });
  for (const change of changes) {
    if (change.kind === 'put') set('resource', change.record.name, JSON.stringify(change.record));
    else if (change.kind === 'drop') set('resource', change.name, null);
    else if (change.kind === 'put-output') set('output', change.name, JSON.stringify(change.output));
    else if (change.kind === 'drop-output') set('output', change.name, null);
  }
  return rows;
}

async function writeVersion(tx: Transaction, write: StateWrite, serial: number, resources: number): Promise<void> {
  const { stack, changeSet, by, now } = write;
  const known = await tx.run(
    'UPDATE infra_versions SET serial = $3, written_at = $4, resources = $5 WHERE stack = $1 AND change_set = $2',
    [stack, changeSet, serial, now, resources],
  );
  if (known === 1) return;
  await tx.run(
    `INSERT INTO infra_versions (stack, change_set, serial, written_by, written_at, resources) VALUES ($1, $2, $3, $4, $5, $6)`,
    [stack, changeSet, serial, by, now, resources],
  );
  await dropOldest(tx, stack);
}

/** Once per change set, so that the history does not grow for ever. */
async function dropOldest(tx: Transaction, stack: string): Promise<void> {
  const text = `SELECT serial FROM infra_versions WHERE stack = $1 ORDER BY serial DESC LIMIT 1 OFFSET ${keptVersions - 1}`;
  const [oldest] = await tx.all(text, [stack]);
  if (!oldest) return;
  const serial = Number(oldest['serial']);
  await tx.run('DELETE FROM infra_versions WHERE stack = $1 AND serial < $2', [stack, serial]);
  await tx.run('DELETE FROM infra_records WHERE stack = $1 AND until IS NOT NULL AND until <= $2', [stack, serial]);
}

function headOf(row: StackRow): StateHead {
  return { stack: row.stack, lineage: row.lineage, serial: row.serial, updatedAt: row.updated_at };
}
