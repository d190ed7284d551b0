import { createHash } from 'node:crypto';
import type { RunSpec } from '../model/run.ts';

/** The same request gives the same digest in every process: keys are sorted at every depth. */
export function digestSpec(spec: RunSpec): string {
  const canonical = JSON.stringify(spec, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
