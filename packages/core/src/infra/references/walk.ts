import type { Attributes, Json } from '@errand/contract';
import { isSealed } from './sealed.ts';

/** Passes every text (and every sealed value) through `change`. What does not change is the same object as before. */
export function mapLeaves(value: Json, path: string, change: (leaf: Json, path: string) => Json): Json {
  if (typeof value === 'string') return change(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (isSealed(value)) return change(value, path);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    let copy: Json[] | undefined;
    items.forEach((item, at) => {
      const next = mapLeaves(item, within(path, String(at)), change);
      if (next !== item) (copy ??= [...items])[at] = next;
    });
    return copy ?? value;
  }
  const map = value as Attributes;
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(map)) {
    const item = map[key] as Json;
    const next = mapLeaves(item, within(path, key), change);
    if (next !== item) (copy ??= { ...map })[key] = next;
  }
  return copy ?? value;
}

export function within(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** `env[0].name` and `env.0.name` are the same way. */
export function stepsOf(path: string): readonly string[] {
  return path
    .replaceAll(/\[["']?([^\]"']*)["']?\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
}

/** The value at `path`, or undefined. A key that has dots itself is found, too. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  if (typeof value !== 'object' || value === null || isSealed(value)) return undefined;
  if (!Array.isArray(value) && Object.hasOwn(value, path)) return (value as Attributes)[path];
  let here: Json | undefined = value;
  for (const step of stepsOf(path)) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Attributes)[step];
  }
  return here;
}

/** True when one of the paths leads to the other, or both are the same. */
export function related(a: string, b: string): boolean {
  const [one, other] = [stepsOf(a), stepsOf(b)];
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** True when `path` is `root` or lies in it. */
export function liesIn(path: string, root: string): boolean {
  return stepsOf(path).length >= stepsOf(root).length && related(path, root);
}
