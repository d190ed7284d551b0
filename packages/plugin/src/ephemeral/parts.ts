import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../wire/link.ts';
import type { Bells } from './bells.ts';

/** When to ask again, in milliseconds. */
export interface Patience {
  /** The first pause between two looks at a job; grows by half from there. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** How long a plugin may take to answer a question. */
  readonly answer: number;
  /** A job that the plugin has not known for so long is lost; lists and lookups of a platform lag behind. */
  readonly unknown: number;
}

export const usualPatience: Patience = { firstPause: 50, longestPause: 5_000, answer: 30_000, unknown: 10_000 };

export interface JobParts {
  readonly link: Link;
  readonly canCancel: boolean;
  readonly patience: Patience;
  readonly bells: Bells;
  /** Keys of jobs that were asked for here. */
  readonly attempted: Set<string>;
}

/** With jitter on its upper half, so that many jobs that were started together are not asked about together. */
export function pauseOf({ firstPause, longestPause }: Patience, round: number): number {
  const full = Math.min(longestPause, firstPause * 1.5 ** round);
  return full / 2 + (full / 2) * Math.random();
}

/** Rejects with the signal's own reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
