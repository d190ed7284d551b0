/** Step → the steps before it, each with how readily it gives way: 0 never does. */
export type Edges = Map<string, Map<string, number>>;

export interface Sorted {
  /** Of each step, from 0. */
  readonly position: ReadonlyMap<string, number>;
  /** Without those that had to give way. */
  readonly edges: Edges;
}

export function sortSteps(ids: readonly string[], edges: Edges): Sorted {
  let kept = edges;
  for (let level = 3; ; level--) {
    const { position, left } = tryToSort(ids, kept);
    if (left.size === 0) return { position, edges: kept };
    if (level === 0) throw new Error(`steps wait for each other: ${[...left].slice(0, 5).join(', ')}`);
    kept = new Map([...kept].map(([id, before]) => [id, left.has(id) ? without(before, level, left) : before]));
  }
}

function without(before: ReadonlyMap<string, number>, level: number, left: ReadonlySet<string>): Map<string, number> {
  return new Map([...before].filter(([id, own]) => own < level || !left.has(id)));
}

function tryToSort(ids: readonly string[], edges: Edges) {
  const missing = new Map<string, number>();
  const followers = new Map<string, string[]>();
  const queue: string[] = [];
  for (const id of ids) {
    const before = edges.get(id);
    missing.set(id, before?.size ?? 0);
    if (!before?.size) queue.push(id);
    for (const one of before?.keys() ?? []) {
      const known = followers.get(one);
      if (known) known.push(id);
      else followers.set(one, [id]);
    }
  }
  for (let at = 0; at < queue.length; at++) {
    for (const id of followers.get(queue[at] as string) ?? []) {
      const count = (missing.get(id) ?? 0) - 1;
      missing.set(id, count);
      if (count === 0) queue.push(id);
    }
  }
  const position = new Map(queue.map((id, at) => [id, at]));
  return { position, left: new Set(ids.filter((id) => !position.has(id))) };
}
