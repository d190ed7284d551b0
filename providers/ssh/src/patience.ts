import { setTimeout as sleep } from 'node:timers/promises';
import { isErrandError } from '@errand/contract';

/** A network cut or a restarted sshd is survived when it is over within this. */
const longest = 60_000;

export interface Patience {
  /** Something came: the next trouble is a new one. */
  reset(): void;
  /** Rests after trouble that may pass; throws trouble that will not, or that has lasted too long. */
  bear(error: unknown, signal: AbortSignal): Promise<void>;
}

export function createPatience(limit = longest): Patience {
  let since: number | undefined;
  let rest = 0;
  return {
    reset() {
      since = undefined;
      rest = 0;
    },
    async bear(error, signal) {
      signal.throwIfAborted();
      if (!isErrandError(error) || error.retry === 'never') throw error;
      since ??= Date.now();
      if (Date.now() - since > limit) throw error;
      rest = Math.min(rest * 2 + 50, 2_000);
      await pause(rest, signal);
    },
  };
}

/** Repeats a question while trouble may pass, for so many milliseconds. */
export async function patiently<T>(question: () => Promise<T>, signal: AbortSignal, limit: number): Promise<T> {
  const patience = createPatience(limit);
  for (;;) {
    try {
      return await question();
    } catch (error) {
      await patience.bear(error, signal);
    }
  }
}

/** Rejects with the signal's reason when it fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
