import { ErrandError } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { ResourceRecord, State, StateHead, StateOutput, StateVersion } from '../../model/infra/record.ts';
import type { Reader, Row } from '../database.ts';
import { entryOf, outputOf, recordOf, stackRow } from './rows.ts';

export async function readHead(reader: Reader, stack: string): Promise<StateHead> {
  const row = await stackRow(reader, stack);
  if (!row) return { stack, lineage: '', serial: 0, updatedAt: 0 };
  return { stack, lineage: row.lineage, serial: row.serial, updatedAt: row.updated_at };
}

/** In one transaction: head and rows must belong together. */
export async function readState(reader: Reader, stack: string): Promise<State> {
  const head = await readHead(reader, stack);
  const text = 'SELECT kind, name, body FROM infra_records WHERE stack = $1 AND until IS NULL ORDER BY kind, name';
  return { ...head, ...partsOf(await reader.all(text, [stack]), stack) };
}

export async function readVersion(reader: Reader, stack: string, serial: number): Promise<State> {
  const { lineage } = await readHead(reader, stack);
  const [version] = await reader.all('SELECT written_at FROM infra_versions WHERE stack = $1 AND serial = $2', [stack, serial]);
  if (!version) {
    throw new ErrandError('state/unknown', `looked for version ${serial} of stack ${stack}: it is not kept`, {
      next: 'List those that are with `errand infra state history`.',
    });
  }
  const text = `SELECT kind, name, body FROM infra_records
    WHERE stack = $1 AND since <= $2 AND (until IS NULL OR until > $2) ORDER BY kind, name`;
  const parts = partsOf(await reader.all(text, [stack, serial]), stack);
  return { stack, lineage, serial, updatedAt: Number(version['written_at']), ...parts };
}

function partsOf(rows: readonly Row[], stack: string): Pick<State, 'resources' | 'outputs'> {
  const resources = new Map<string, ResourceRecord>();
  const outputs = new Map<string, StateOutput>();
  for (const { kind, name, body } of rows as readonly { kind: string; name: string; body: string }[]) {
    if (kind === 'resource') resources.set(name, recordOf(body, stack, name));
    else outputs.set(name, outputOf(body, stack, name));
  }
  return { resources, outputs };
}

export async function readHistory(reader: Reader, stack: string): Promise<readonly StateVersion[]> {
  const { lineage } = await readHead(reader, stack);
  const rows = await reader.all('SELECT * FROM infra_versions WHERE stack = $1 ORDER BY serial DESC', [stack]);
  return rows.map((row) => ({
    stack,
    lineage,
    serial: Number(row['serial']),
    updatedAt: Number(row['written_at']),
    by: String(row['written_by']),
    resources: Number(row['resources']),
  }));
}

export async function readJournal(reader: Reader, stack: string): Promise<readonly JournalEntry[]> {
  const rows = await reader.all('SELECT entry FROM infra_journal WHERE stack = $1 ORDER BY id', [stack]);
  return rows.map((row) => entryOf(String(row['entry']), stack));
}
