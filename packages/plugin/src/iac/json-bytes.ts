// Free-form values cross the public contract as JSON bytes. Others write "nothing" as no bytes, as `null` or as `{}`.
import type { Attributes, Json } from '@errand/contract';
import { jsonBytes, jsonValue } from '../wire/json.ts';
import { Malformed } from '../wire/malformed.ts';

export function readAttributes(bytes: Uint8Array, what: string): Attributes {
  return asAttributes(jsonValue(bytes, what), what);
}

export function asAttributes(value: Json, what: string): Attributes {
  if (value === null) return {};
  if (typeof value !== 'object' || isList(value)) throw new Malformed(`${what} is JSON, but not an object`);
  return value;
}

export function sendAttributes(value: Attributes): Uint8Array {
  return jsonBytes(value);
}

/** No bytes: absent. A Go far side writes a null like that, too. */
export function readOptionalJson(bytes: Uint8Array, what: string): Json | undefined {
  return bytes.length === 0 ? undefined : jsonValue(bytes, what);
}

export function sendOptionalJson(value: Json | undefined): Uint8Array {
  return value === undefined ? nothing : jsonBytes(value);
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

const nothing = new Uint8Array();
