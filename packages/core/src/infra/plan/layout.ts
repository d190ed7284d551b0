// Columns by dependency: what needs nothing stands left. Within a column, near those it is connected with.
import { sortGraph } from '../declare/graph.ts';
import type { Drawing } from './drawing.ts';

export interface Place {
  readonly column: number;
  readonly row: number;
}

/** Two passes of the barycentre rule are enough for a picture that a person can follow. */
const passes = 2;

export function layOut({ nodes, edges }: Drawing): ReadonlyMap<string, Place> {
  const needs = new Map<string, string[]>(nodes.map(({ name }) => [name, []]));
  const neededBy = new Map<string, string[]>(nodes.map(({ name }) => [name, []]));
  for (const [from, to] of edges) {
    needs.get(from)?.push(to);
    neededBy.get(to)?.push(from);
  }
  const { sorted, left } = sortGraph(needs);
  const column = new Map<string, number>();
  for (const name of [...sorted, ...left]) {
    let most = -1;
    for (const need of needs.get(name) ?? []) most = Math.max(most, column.get(need) ?? -1);
    column.set(name, most + 1);
  }
  const columns: string[][] = [];
  for (const { name } of nodes) (columns[column.get(name) ?? 0] ??= []).push(name);

  const row = new Map<string, number>();
  const number = () => columns.forEach((names) => names.forEach((name, at) => row.set(name, at)));
  number();
  for (let pass = 0; pass < passes; pass++) {
    for (const links of [needs, neededBy]) {
      for (const names of columns) {
        const wish = new Map(names.map((name) => [name, middle(links.get(name) ?? [], row) ?? row.get(name) ?? 0]));
        names.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || (row.get(a) ?? 0) - (row.get(b) ?? 0));
      }
      number();
    }
  }
  return new Map(nodes.map(({ name }) => [name, { column: column.get(name) ?? 0, row: row.get(name) ?? 0 }]));
}

function middle(names: readonly string[], row: ReadonlyMap<string, number>): number | undefined {
  if (names.length === 0) return undefined;
  return names.reduce((sum, name) => sum + (row.get(name) ?? 0), 0) / names.length;
}
