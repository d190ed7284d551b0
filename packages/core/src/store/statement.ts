import type { Row, Transaction, Value } from './database.ts';

/** `($1, $2, …)`, counting on after `offset` values. */
export function placeholders(count: number, offset = 0): string {
  return `(${Array.from({ length: count }, (_, index) => `$${index + 1 + offset}`).join(', ')})`;
}

/** False when the row is there already, under any of its unique columns. */
export async function insert(tx: Transaction, table: string, row: Row): Promise<boolean> {
  const columns = Object.keys(row);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${placeholders(columns.length)} ON CONFLICT DO NOTHING`;
  return (await tx.run(text, Object.values(row))) === 1;
}

/**
 * Compare-and-swap: writes only if the row still has the epoch and status that were read. Undefined when it has not,
 * else the row as it is now.
 */
export async function swap<R extends Row>(tx: Transaction, table: string, seen: R, changes: Partial<R>): Promise<R | undefined> {
  const columns = Object.keys(changes);
  if (columns.length === 0) return seen;
  const set = columns.map((column, index) => `${column} = $${index + 4}`).join(', ');
  const values = [seen['id'], seen['epoch'], seen['status'], ...Object.values(changes)] as Value[];
  const changed = await tx.run(`UPDATE ${table} SET ${set} WHERE id = $1 AND epoch = $2 AND status = $3`, values);
  return changed === 1 ? { ...seen, ...changes } : undefined;
}

export function encode(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The caller names the type that the column was encoded from. */
export function decode(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

/** Text for people may quote anything, but PostgreSQL has no NUL. */
export function plain(text: string | undefined): string | null {
  return text?.replaceAll('\0', '') ?? null;
}

/** A beginning as a range: no wildcards to escape, and the index serves it. Undefined when nothing can begin so. */
export function beginning(prefix: string): readonly [string, string] | undefined {
  if (prefix === '' || prefix.includes('\0')) return undefined;
  return [prefix, `${prefix}\u{10ffff}`];
}

/** A whole id is meant even if another one begins with it. */
export function exactOrAll<T extends { readonly id: string }>(found: readonly T[], prefix: string): readonly T[] {
  const exact = found.find((item) => item.id === prefix);
  return exact ? [exact] : found;
}
