import type { Json } from '@errand/contract';
import { Malformed } from './malformed.ts';

export function jsonBytes(value: Json): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** No bytes at all stand for null: other languages leave a null out. */
export function jsonValue(bytes: Uint8Array, what: string): Json {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw new Malformed(`${what} is not JSON`);
  }
}
