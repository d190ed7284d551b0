/** How many letters must be added, dropped, changed or swapped with a neighbour to get from one word to the other. */
export function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The known name that was most likely meant, if any is close enough to be worth saying. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly name: string; readonly far: number } | undefined;
  for (const candidate of known) {
    const lower = candidate.toLowerCase();
    const begins = wanted.length >= 3 && lower.startsWith(wanted);
    const far = begins ? Math.min(limit, distance(wanted, lower)) : distance(wanted, lower);
    if (far <= limit && far < wanted.length && (!best || far < best.far)) best = { name: candidate, far };
  }
  return best?.name;
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const found = nearest(name, known);
  return found === undefined ? undefined : `did you mean '${found}'?`;
}
