import type { Json } from '@errand/contract';
import type { StoredEvent } from '../model/event.ts';
import type { Reader, Row, Transaction, Value } from './database.ts';

interface EventRow extends Row {
  readonly seq: number;
  readonly at: number;
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

export interface EventFilter {
  readonly id?: string;
  readonly after?: number;
  readonly limit?: number;
}

type Subject = StoredEvent['subject'];

/** Called inside the transaction of the change that it tells of. Data carries no environment values. */
export async function record(tx: Transaction, subject: Subject, id: string, type: string, at: number, data: object) {
  const values = [at, subject, id, type, JSON.stringify(data)];
  await tx.run('INSERT INTO events (at, subject, id, type, data) VALUES ($1, $2, $3, $4, $5)', values);
}

export async function readEvents(reader: Reader, filter: EventFilter): Promise<readonly StoredEvent[]> {
  const values: Value[] = [filter.after ?? 0];
  let text = 'SELECT seq, at, subject, id, type, data FROM events WHERE seq > $1';
  if (filter.id !== undefined) text += ` AND id = $${values.push(filter.id)}`;
  text += ' ORDER BY seq';
  if (filter.limit !== undefined) text += ` LIMIT $${values.push(filter.limit)}`;
  return ((await reader.all(text, values)) as readonly EventRow[]).map(eventOf);
}

/**
 * For everybody's events, which several transactions write at once: a reader that goes on after the last `seq` it saw
 * must not miss one that was numbered earlier and committed later. One subject's events need no such care, since its
 * row is locked while they are written.
 */
export async function readSettledEvents(tx: Transaction, filter: EventFilter): Promise<readonly StoredEvent[]> {
  if (tx.dialect.settleEvents) await tx.all(tx.dialect.settleEvents);
  return readEvents(tx, filter);
}

function eventOf(row: EventRow): StoredEvent {
  const { seq, at, id, type } = row;
  return { seq, at, subject: row.subject as Subject, id, type, data: JSON.parse(row.data) as Json };
}
