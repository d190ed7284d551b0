import type { Json } from '@errand/contract';
import type { Sealed } from '@errand/core';
import { shorten, visible } from '../text.ts';

export const SENSITIVE = '(sensitive)';
export const UNKNOWN = '(known after apply)';
/** Longer values are cut; `--json` has all of them. */
const WIDTH = 160;

export function valueText(value: Json | undefined): string {
  if (value === undefined) return '(none)';
  return visible(shorten(JSON.stringify(masked(value)), WIDTH));
}

/** The value as a shell wants it: text bare, the rest as JSON. */
export function bareText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is sealed is shown as sensitive, however deep it lies. */
export function masked(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(masked);
  if (isSealed(value)) return SENSITIVE;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one)]));
}

function isSealed(value: object): value is Sealed {
  return '$sealed' in value && typeof value.$sealed === 'string';
}

export interface Leaf {
  readonly path: string;
  readonly value: Json;
}

/** Each value of a config with its path; what lies in a list is shown with the list. */
export function leaves(value: Json, path = ''): Leaf[] {
  const inner = typeof value === 'object' && value !== null && !Array.isArray(value) && !isSealed(value);
  const entries = inner ? Object.entries(value) : [];
  if (entries.length === 0) return [{ path, value }];
  return entries.flatMap(([key, one]) => leaves(one, path === '' ? key : `${path}.${key}`));
}

/** True for the path itself, for what lies in it, and for what it lies in: the value that is shown holds it. */
export function touches(paths: readonly string[], path: string): boolean {
  return paths.some((one) => one === path || within(one, path) || within(path, one));
}

function within(inner: string, outer: string): boolean {
  return inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}
