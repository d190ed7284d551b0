import type { Attributes, Json } from '@errand/contract';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { escapeAll } from '../references/resolve.ts';
import { stepsOf, valueAt } from '../references/walk.ts';

/** Under an ignored path, what was applied last stays wanted: an update for another reason must not carry the change along. */
export function keepIgnored(template: Attributes, record: ResourceRecord | undefined, ignored: readonly string[]): Attributes {
  if (!record || ignored.length === 0) return template;
  let config = template;
  for (const path of ignored) {
    const applied = valueAt(record.config, path);
    if (applied !== undefined) config = put(config, stepsOf(path), escapeAll(applied)) as Attributes;
    // Of what was taken over, nobody knows what it was once given.
    else if (record.source === 'apply') config = put(config, stepsOf(path), undefined) as Attributes;
  }
  return config;
}

function put(value: Json | undefined, steps: readonly string[], wanted: Json | undefined): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return wanted;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: Json, at) => (String(at) === step ? (put(item, rest, wanted) ?? item) : item));
  }
  const map = value as Attributes;
  const next = put(rest.length > 0 ? (map[step] ?? (wanted === undefined ? undefined : {})) : map[step], rest, wanted);
  const { [step]: _gone, ...others } = map;
  return next === undefined ? others : { ...map, [step]: next };
}
