import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects with the signal's reason when it fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
