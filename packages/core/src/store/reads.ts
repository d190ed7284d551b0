import type { Json } from '@errand/contract';
import type { Lease } from '../model/lease.ts';
import type { Run } from '../model/run.ts';
import type { Reader, Value } from './database.ts';
import { leaseOf } from './lease-row.ts';
import type { LeaseRow } from './lease-row.ts';
import type { Reads, RunFilter } from './port.ts';
import { runOf } from './run-row.ts';
import type { RunRow } from './run-row.ts';
import { beginning, exactOrAll, placeholders } from './statement.ts';

/** To the letter the condition of the index, or it would not be used. */
export const openLeases = `status IN ('pending', 'active', 'idle', 'releasing')`;

/** Enough to tell a person that a beginning is ambiguous. */
const mostFound = 20;

async function selectRuns(reader: Reader, rest: string, values: readonly Value[]): Promise<readonly Run[]> {
  return ((await reader.all(`SELECT * FROM runs ${rest}`, values)) as readonly RunRow[]).map(runOf);
}

async function selectLeases(reader: Reader, rest: string, values: readonly Value[]): Promise<readonly Lease[]> {
  return ((await reader.all(`SELECT * FROM leases ${rest}`, values)) as readonly LeaseRow[]).map(leaseOf);
}

export async function runById(reader: Reader, id: string): Promise<Run | undefined> {
  return (await selectRuns(reader, 'WHERE id = $1', [id]))[0];
}

export async function runByKey(reader: Reader, key: string): Promise<Run | undefined> {
  return (await selectRuns(reader, 'WHERE key = $1', [key]))[0];
}

export async function leaseById(reader: Reader, id: string): Promise<Lease | undefined> {
  return (await selectLeases(reader, 'WHERE id = $1', [id]))[0];
}

export async function findRuns(reader: Reader, prefix: string): Promise<readonly Run[]> {
  const range = beginning(prefix);
  if (!range) return [];
  return exactOrAll(await selectRuns(reader, `WHERE id >= $1 AND id < $2 ORDER BY id LIMIT ${mostFound}`, range), prefix);
}

export async function findLeases(reader: Reader, prefix: string): Promise<readonly Lease[]> {
  const range = beginning(prefix);
  if (!range) return [];
  return exactOrAll(await selectLeases(reader, `WHERE id >= $1 AND id < $2 ORDER BY id LIMIT ${mostFound}`, range), prefix);
}

export async function listRuns(reader: Reader, filter: RunFilter): Promise<readonly Run[]> {
  if (filter.statuses?.length === 0) return [];
  const values: Value[] = [];
  const where: string[] = [];
  if (filter.open !== undefined) where.push(filter.open ? `status <> 'closed'` : `status = 'closed'`);
  if (filter.statuses) where.push(`status IN ${oneOf(values, filter.statuses)}`);
  if (filter.lease !== undefined) where.push(`lease = $${values.push(filter.lease)}`);
  for (const [name, value] of Object.entries(filter.labels ?? {})) {
    const label = `name = $${values.push(name)} AND value = $${values.push(value)}`;
    where.push(`EXISTS (SELECT 1 FROM run_labels WHERE run = runs.id AND ${label})`);
  }
  return selectRuns(reader, newestFirst(where, values, filter.limit), values);
}

export async function listLeases(reader: Reader, filter: Parameters<Reads['leases']>[0]): Promise<readonly Lease[]> {
  if (filter.statuses?.length === 0) return [];
  const values: Value[] = [];
  const where: string[] = [];
  if (filter.open !== undefined) where.push(filter.open ? openLeases : `NOT (${openLeases})`);
  if (filter.statuses) where.push(`status IN ${oneOf(values, filter.statuses)}`);
  if (filter.reuseKey !== undefined) where.push(`reuse_key = $${values.push(filter.reuseKey)}`);
  return selectLeases(reader, newestFirst(where, values, filter.limit), values);
}

/** Looks at every lease there ever was; for those who clean up. */
export async function providersUsed(reader: Reader): ReturnType<Reads['providersUsed']> {
  const { field } = reader.dialect;
  const text = `SELECT DISTINCT ${field('spec', 'provider')} AS provider, ${field('spec', 'options')} AS options FROM leases ORDER BY 1, 2`;
  return (await reader.all(text)).map((row) => ({
    provider: String(row['provider']),
    options: JSON.parse(String(row['options'])) as Json,
  }));
}

function oneOf(values: Value[], wanted: readonly string[]): string {
  const text = placeholders(wanted.length, values.length);
  values.push(...wanted);
  return text;
}

function newestFirst(where: readonly string[], values: Value[], limit: number | undefined): string {
  const limited = limit === undefined ? '' : ` LIMIT $${values.push(limit)}`;
  return `${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY created_at DESC, id DESC${limited}`;
}
