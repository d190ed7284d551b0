import type { Diagnostic } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import { isEmpty, type Branch, type Position, type Tree } from '../../config/tree.ts';
import type { Origin } from '../../model/infra/stack.ts';

/** What reading one file needs, and collects. */
export interface Reader {
  readonly file: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly diagnostics: Diagnostic[];
  /** `env:X` → its value. */
  readonly used: Map<string, string>;
}

export function report(reader: Reader, at: Position, message: string, hint?: string): void {
  reader.diagnostics.push({ severity: 'error', message, file: reader.file, ...at, ...(hint === undefined ? {} : { hint }) });
}

export function originAt(reader: Reader, at: Position): Origin {
  return { file: reader.file, line: at.line, column: at.column };
}

/** A map, an empty one where nothing was written; undefined, and a diagnostic, for anything else. */
export function asMap(reader: Reader, tree: Tree | undefined, what: string): Branch | undefined {
  if (tree?.kind === 'map') return tree;
  if (tree && !isEmpty(tree)) {
    report(reader, tree.at, `${what}: expected a map`);
    return undefined;
  }
  return { kind: 'map', at: tree?.at ?? { line: 1, column: 1 }, entries: new Map() };
}

export function refuseOtherKeys(reader: Reader, tree: Branch, what: string, known: readonly string[]): void {
  for (const [key, entry] of tree.entries) {
    if (known.includes(key)) continue;
    report(reader, entry.key, `unknown key '${what}.${key}'`, didYouMean(key, known) ?? `Known are: ${known.join(', ')}.`);
  }
}

export function pick(tree: Branch, keep: (key: string) => boolean): Branch {
  return { ...tree, entries: new Map([...tree.entries].filter(([key, entry]) => keep(key) && !isEmpty(entry.value))) };
}
