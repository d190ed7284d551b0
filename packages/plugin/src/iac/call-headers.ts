// The key and the epoch of a call, which the public contract has no fields for, travel beside the request. A Go plugin takes
// no notice of them; for a Go host, which sends none, a key is made from what is asked for.
import { createHash } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import type { Call, Json } from '@errand/contract';

const keyName = 'errand-key';
const epochName = 'errand-epoch';

export function sendCallHeaders({ key, epoch }: Pick<Call, 'key' | 'epoch'>): Record<string, string> {
  return { [keyName]: encodeURIComponent(key), [epochName]: String(epoch) };
}

/** `asked` is what makes two calls the same where nobody said so. */
export function readCallHeaders(metadata: Metadata, asked: readonly Json[]): Pick<Call, 'key' | 'epoch'> {
  const key = textOf(metadata, keyName);
  const epoch = Number(textOf(metadata, epochName) ?? 0);
  return { key: decoded(key) ?? derivedKey(asked), epoch: Number.isSafeInteger(epoch) ? epoch : 0 };
}

export function derivedKey(asked: readonly Json[]): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(asked)))
    .digest('hex')
    .slice(0, 32);
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The same for objects whose keys come in another order. */
function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
