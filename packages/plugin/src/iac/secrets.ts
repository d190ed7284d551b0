// A Go plugin cannot ask back for a secret, so references in a config become values on this side, just before the call.
import type { Attributes, Json } from '@errand/contract';

const prefix = 'secret://';

export async function withSecrets(config: Attributes, secret: (reference: string) => Promise<string>): Promise<Attributes> {
  return (await resolved(config, secret)) as Attributes;
}

async function resolved(value: Json, secret: (reference: string) => Promise<string>): Promise<Json> {
  if (typeof value === 'string') return isReference(value) ? await secret(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return await Promise.all(value.map((each: Json) => resolved(each, secret)));
  const entries = Object.entries(value).map(async ([key, each]) => [key, await resolved(each, secret)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Each reference that the value holds, once. */
export function referencesIn(value: Json, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') {
    if (isReference(value)) found.add(value);
  } else if (value !== null && typeof value === 'object') {
    for (const each of Object.values(value)) referencesIn(each, found);
  }
  return found;
}

function isReference(text: string): boolean {
  return text.startsWith(prefix);
}
