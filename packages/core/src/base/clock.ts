import type { Clock } from '../ports.ts';

/** The longest delay that a timer of Node can take; more would fire at once. */
const longest = 2 ** 31 - 1;

/** Its timers keep the process alive: whoever sleeps has work to do afterwards. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep,
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    let timer: NodeJS.Timeout;
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const arm = (left: number) => {
      timer = left > longest ? setTimeout(arm, longest, left - longest) : setTimeout(done, left);
    };
    signal?.addEventListener('abort', done);
    arm(ms);
  });
}
