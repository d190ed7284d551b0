import { same } from './version.ts';
import type { Version } from './version.ts';

/** One path on its three sides; absent is nothing there. */
export interface Sides {
  /** As it went in. */
  readonly base?: Version | undefined;
  /** As the job left it. */
  readonly remote?: Version | undefined;
  /** As it is here now. */
  readonly local?: Version | undefined;
}

/** `same`: nothing to do. The last four are conflicts: what is here stays. */
export type Decision = 'same' | 'write' | 'delete' | 'changed-both' | 'deleted-here' | 'deleted-there' | 'in-the-way';

/** The three-way rule. Only what is here exactly as it went in is ever replaced or removed. */
export function decide({ base, remote, local }: Sides): Decision {
  if (same(local, remote) || same(remote, base)) return 'same';
  if (remote === undefined) return same(local, base) ? 'delete' : 'deleted-there';
  // Nothing is lost by writing where nothing is, unless somebody removed it from there.
  if (local === undefined) return base === undefined || base.kind === 'directory' ? 'write' : 'deleted-here';
  if (base !== undefined && same(local, base)) return 'write';
  return local.kind === 'directory' ? 'in-the-way' : 'changed-both';
}
