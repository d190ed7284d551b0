// A state as one portable document, sensitive values sealed: what `state pull` writes and `state push` takes.
import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import type { ResourceRecord, State, StateOutput } from '../../model/infra/record.ts';
import { newer, outputOf, recordOf, stateFormat } from '../../store/infra/rows.ts';

export function toDocument(state: State): Json {
  const { stack, lineage, serial, updatedAt } = state;
  const document = {
    format: stateFormat,
    stack,
    lineage,
    serial,
    updatedAt,
    resources: [...state.resources.values()],
    outputs: Object.fromEntries(state.outputs),
  };
  return JSON.parse(JSON.stringify(document)) as Json;
}

export function fromDocument(document: Json, stack: string): State {
  const value = document as Partial<Record<string, Json>>;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('it is not an object');
  const { format, lineage, serial, updatedAt, resources, outputs } = value;
  if (typeof format !== 'number') throw malformed('it has no format');
  if (format > stateFormat) throw newer('the document', format);
  if (typeof lineage !== 'string' || lineage === '') throw malformed('it has no lineage');
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 0) throw malformed('it has no serial');
  if (!Array.isArray(resources)) throw malformed('it has no list of resources');
  const records = new Map<string, ResourceRecord>();
  for (const item of resources as readonly Json[]) {
    const name = (item as { readonly name?: Json } | null)?.name;
    if (typeof name !== 'string' || name === '') throw malformed('one of its resources has no name');
    if (records.has(name)) throw malformed(`it has two resources of the name ${name}`);
    records.set(name, recordOf(JSON.stringify(item), stack, name));
  }
  const known = Object.entries((outputs ?? {}) as Readonly<Record<string, Json>>);
  const kept = new Map<string, StateOutput>(known.map(([name, item]) => [name, outputOf(JSON.stringify(item), stack, name)]));
  return { stack, lineage, serial, updatedAt: Number(updatedAt ?? 0), resources: records, outputs: kept };
}

function malformed(why: string): ErrandError {
  return new ErrandError('infra/invalid', `read the state document: ${why}; nothing was changed`, {
    next: 'Use a document that `errand infra state pull` wrote.',
  });
}
