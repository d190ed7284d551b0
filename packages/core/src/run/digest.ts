import { digestOf } from '../base/canonical.ts';
import type { RunSpec } from '../model/run.ts';

/** The same request gives the same digest in every process. */
export function digestSpec(spec: RunSpec): string {
  return digestOf(spec);
}
