/** Names and what each depends on. Names that are not in it themselves do not count. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Dependencies first, otherwise in the given order; `left` are those in a circle, or behind one. */
export function sortGraph(graph: Graph): { readonly sorted: readonly string[]; readonly left: readonly string[] } {
  const missing = new Map<string, number>();
  const dependents = dependentsIn(graph);
  const sorted: string[] = [];
  for (const [name, needs] of graph) {
    const count = countOf(graph, needs);
    missing.set(name, count);
    if (count === 0) sorted.push(name);
  }
  for (let at = 0; at < sorted.length; at++) {
    for (const dependent of dependents.get(sorted[at] as string) ?? []) {
      const count = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, count);
      if (count === 0) sorted.push(dependent);
    }
  }
  return { sorted, left: [...missing].filter(([, count]) => count > 0).map(([name]) => name) };
}

function countOf(graph: Graph, needs: readonly string[]): number {
  if (needs.length < 2) return needs.length === 1 && graph.has(needs[0] as string) ? 1 : 0;
  return new Set(needs.filter((need) => graph.has(need))).size;
}

/** Who depends on each name; each once. */
export function dependentsIn(graph: Graph): ReadonlyMap<string, ReadonlySet<string>> {
  const dependents = new Map<string, Set<string>>();
  for (const [name, needs] of graph) {
    for (const need of needs) {
      if (!graph.has(need)) continue;
      const known = dependents.get(need);
      if (known) known.add(name);
      else dependents.set(need, new Set([name]));
    }
  }
  return dependents;
}

/** One circle among those that sorting left, as a way from a name back to itself (`a b a`); undefined when none are left. */
export function circleIn(graph: Graph, left: readonly string[]): readonly string[] | undefined {
  const inside = new Set(left);
  const [first] = left;
  if (first === undefined) return undefined;
  // What is behind a circle has a dependency that is left, too: following those must come round.
  const seen = new Map<string, number>();
  const way: string[] = [];
  let here = first;
  while (!seen.has(here)) {
    seen.set(here, way.length);
    way.push(here);
    here = (graph.get(here) ?? []).find((need) => inside.has(need)) ?? here;
  }
  return [...way.slice(seen.get(here)), here];
}

/** Everything that can be reached from `names`, themselves included. */
export function reach(names: Iterable<string>, next: (name: string) => Iterable<string>): Set<string> {
  const reached = new Set(names);
  for (const name of reached) for (const one of next(name)) reached.add(one);
  return reached;
}
