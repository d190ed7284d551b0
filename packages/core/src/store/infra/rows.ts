import { ErrandError } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { ResourceRecord, StateOutput } from '../../model/infra/record.ts';
import type { Reader, Row } from '../database.ts';

/** Of what lies in the tables. A higher one was written by a newer Errand. */
export const stateFormat = 1;

export interface StackRow extends Row {
  readonly stack: string;
  readonly format: number;
  readonly lineage: string;
  readonly serial: number;
  readonly resources: number;
  readonly updated_at: number;
  readonly epoch: number;
  readonly lock: string | null;
  readonly held_until: number;
}

export async function stackRow(reader: Reader, stack: string, ending = ''): Promise<StackRow | undefined> {
  const [row] = await reader.all(`SELECT * FROM infra_stacks WHERE stack = $1${ending}`, [stack]);
  if (!row) return undefined;
  const found = row as StackRow;
  if (found.format > stateFormat) throw newer(`the state of stack ${stack}`, found.format);
  return found;
}

export function newer(what: string, format: number): ErrandError {
  return new ErrandError(
    'state/newer',
    `read ${what}: a newer Errand has written it (format ${format}, this one knows up to ${stateFormat}); nothing was changed`,
    { next: 'Use the newer Errand.' },
  );
}

export function corrupt(what: string, cause?: unknown): ErrandError {
  return new ErrandError('state/corrupt', `read ${what}: it is damaged; nothing was changed`, {
    next: 'Go back to a version before the damage with `errand infra state history` and `errand infra state restore`.',
    cause,
  });
}

/** Checks no more than what the engine relies on: the rest is a driver's business. */
export function recordOf(body: string, stack: string, name: string): ResourceRecord {
  const value = parsed(body, `the record of ${name} in stack ${stack}`) as Partial<ResourceRecord>;
  const whole =
    value.name === name &&
    [value.type, value.provider, value.use, value.providerId].every((part) => typeof part === 'string') &&
    [value.config, value.outputs].every((part) => typeof part === 'object' && part !== null) &&
    [value.sensitive, value.dependencies, value.deposed].every((part) => Array.isArray(part));
  if (!whole) throw corrupt(`the record of ${name} in stack ${stack}`);
  return value as ResourceRecord;
}

export function outputOf(body: string, stack: string, name: string): StateOutput {
  const value = parsed(body, `the output ${name} of stack ${stack}`) as Partial<StateOutput>;
  if (value.value === undefined || typeof value.sensitive !== 'boolean') throw corrupt(`the output ${name} of stack ${stack}`);
  return value as StateOutput;
}

export function entryOf(body: string, stack: string): JournalEntry {
  const value = parsed(body, `an entry in the journal of stack ${stack}`) as Partial<JournalEntry>;
  const whole = [value.id, value.resource, value.type, value.provider, value.key, value.do].every(
    (part) => typeof part === 'string',
  );
  if (!whole) throw corrupt(`an entry in the journal of stack ${stack}`);
  return value as JournalEntry;
}

function parsed(body: string, what: string): object {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    throw corrupt(what, error);
  }
  throw corrupt(what);
}
