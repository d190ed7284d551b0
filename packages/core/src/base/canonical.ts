import { createHash } from 'node:crypto';

/** SHA-256 of the value as JSON, the same in every process: keys are sorted at every depth, absent ones do not count. */
export function digestOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
