// What a config file says, with the place of every value. Environments are merged as trees, so that a problem in an
// inherited value is still shown where it was written.
import type { Json } from '@errand/contract';

/** One-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Scalar {
  readonly kind: 'scalar';
  readonly at: Position;
  readonly value: string | number | boolean | null;
  /** As written: `1.10` is not `1.1` where text is wanted. */
  readonly source: string;
}

export interface List {
  readonly kind: 'list';
  readonly at: Position;
  readonly items: readonly Tree[];
}

export interface Branch {
  readonly kind: 'map';
  readonly at: Position;
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface Entry {
  readonly key: Position;
  readonly value: Tree;
}

export type Tree = Scalar | List | Branch;

export function isEmpty(tree: Tree | undefined): boolean {
  return tree === undefined || (tree.kind === 'scalar' && tree.value === null);
}

export function toData(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(toData);
  return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, toData(entry.value)]));
}

/** Where the value at `path` is written, or the nearest thing around it that is. */
export function placeOf(tree: Tree, path: readonly PropertyKey[]): Position {
  let at = tree.at;
  let here: Tree | undefined = tree;
  for (const step of path) {
    if (here?.kind === 'map') {
      const entry: Entry | undefined = here.entries.get(String(step));
      if (!entry) return at;
      here = entry.value;
      at = isEmpty(here) ? entry.key : here.at;
    } else if (here?.kind === 'list') {
      here = here.items[Number(step)];
      if (!here) return at;
      at = here.at;
    } else return at;
  }
  return at;
}

/** Where the key itself is written, for problems with the key. */
export function placeOfKey(tree: Tree, path: readonly PropertyKey[], key: string): Position {
  const around = subtree(tree, path);
  return (around?.kind === 'map' && around.entries.get(key)?.key) || placeOf(tree, path);
}

export function subtree(tree: Tree, path: readonly PropertyKey[]): Tree | undefined {
  let here: Tree | undefined = tree;
  for (const step of path) {
    if (here?.kind === 'map') here = here.entries.get(String(step))?.value;
    else if (here?.kind === 'list') here = here.items[Number(step)];
    else return undefined;
  }
  return here;
}

/** The same tree with every scalar passed through `change`. */
export function mapScalars(tree: Tree, change: (scalar: Scalar) => Scalar): Tree {
  if (tree.kind === 'scalar') return change(tree);
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => mapScalars(item, change)) };
  const entries = [...tree.entries].map(
    ([key, entry]) => [key, { key: entry.key, value: mapScalars(entry.value, change) }] as const,
  );
  return { ...tree, entries: new Map(entries) };
}
