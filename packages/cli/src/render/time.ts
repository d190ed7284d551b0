const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** `1h 5m`, `3s`, `250ms`: the two largest units. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

export function relative(at: number, now: number): string {
  if (Math.abs(now - at) < 1000) return 'now';
  return at <= now ? `${duration(now - at)} ago` : `in ${duration(at - now)}`;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
