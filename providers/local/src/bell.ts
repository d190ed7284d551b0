import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';

/** Wakes whoever waits for something to happen to a file. */
export interface Bell extends Disposable {
  /** Resolves at a change since the last wait, after `ms`, or when the signal fires. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Watching costs more than a look or two, so at first a bell only counts milliseconds. */
const firstWaits = [1, 3, 8, 20];

/**
 * Rung by changes of the files and by `also`. The kernel's notices may be missing or late: `ms` is the longest that a
 * change goes unseen.
 */
export function createBell(files: readonly string[], also?: Promise<unknown>): Bell {
  const watchers: FSWatcher[] = [];
  let waits = 0;
  let rung = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    rung = true;
    wake?.();
  };
  void also?.then(ring);

  function listen(file: string): void {
    try {
      const watcher = watch(file, { persistent: false }, ring);
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // No notices left on this machine, or the file is gone: the timer has to do.
    }
  }

  return {
    wait(ms, signal) {
      const pause = files.length === 0 ? ms : (firstWaits[waits] ?? ms);
      waits += 1;
      if (waits === firstWaits.length + 1) files.forEach(listen);
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = undefined;
          rung = false;
          resolve();
        };
        const timer = setTimeout(done, Math.min(pause, ms));
        wake = done;
        signal.addEventListener('abort', done);
        if (rung || signal.aborted) done();
      });
    },
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
