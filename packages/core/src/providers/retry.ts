import { isErrandError } from '@errand/contract';
import type { ErrandError } from '@errand/contract';
import type { Ports } from '../ports.ts';

export interface RetryPolicy {
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubles from there. */
  readonly first: number;
  readonly most: number;
  /** Further errors that end it, whatever they say of themselves. */
  readonly unless?: ((error: ErrandError) => boolean) | undefined;
}

/** Exponential, with full jitter on its upper half: many clients that failed together do not come back together. */
export function backoff(random: Ports['random'], policy: Pick<RetryPolicy, 'first' | 'most'>, attempt: number): number {
  const full = Math.min(policy.most, policy.first * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random.fraction();
}

/** Repeats `work` while its error says that repeating is worth it. The work must be keyed: it may have had its effect. */
export async function retrying<T>(
  ports: Pick<Ports, 'clock' | 'random'>,
  policy: RetryPolicy,
  signal: AbortSignal,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (signal.aborted || attempt >= policy.attempts || !isErrandError(error) || error.retry === 'never') throw error;
      if (policy.unless?.(error)) throw error;
      await ports.clock.sleep(error.retry === 'safe' && attempt === 1 ? 0 : backoff(ports.random, policy, attempt), signal);
      signal.throwIfAborted();
    }
  }
}
