import type { Clock } from '../ports.ts';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** One per account: every run of this process that talks to the account draws from it. */
export interface Bucket {
  /** Resolves when a call may be made; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void>;
  /** After a `429`: nobody calls before this time. */
  pause(until: number): void;
}

export function createBucket(clock: Clock, rate: Rate): Bucket {
  let tokens = rate.burst;
  let filledAt = clock.now();
  let pausedUntil = 0;

  function delay(): number {
    const now = clock.now();
    tokens = Math.min(rate.burst, tokens + ((now - filledAt) / 1000) * rate.perSecond);
    filledAt = now;
    // Taking below zero books a place in the queue, so that waiters are served in the order they came.
    tokens -= 1;
    const forToken = tokens >= 0 ? 0 : (-tokens / rate.perSecond) * 1000;
    return Math.max(forToken, pausedUntil - now);
  }

  return {
    async take(signal) {
      const ms = delay();
      if (ms > 0) await clock.sleep(ms, signal);
      signal.throwIfAborted();
    },
    pause: (until) => void (pausedUntil = Math.max(pausedUntil, until)),
  };
}
