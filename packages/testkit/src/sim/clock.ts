// Virtual time. It moves only when nothing else can: every promise that could settle has settled, and the next sleeper
// is woken. An hour of waiting costs nothing, and the order of events is the same in every run.
import type { Clock } from '@errand/core';

export interface VirtualClock extends Clock {
  /** Moves time until `work` settles. Throws when that takes longer than `limit` milliseconds of virtual time. */
  drive<T>(work: Promise<T>, limit: number): Promise<T>;
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  wake: (() => void) | undefined;
}

export class VirtualTimeout extends Error {}

export function createVirtualClock(start = Date.UTC(2030, 0, 1)): VirtualClock {
  const sleepers: Sleeper[] = [];
  let now = start;
  let order = 0;

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper: Sleeper = { at: now + Math.max(0, Math.ceil(ms)), order: ++order, wake: undefined };
      const wake = () => {
        sleeper.wake = undefined;
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      sleeper.wake = wake;
      signal?.addEventListener('abort', wake);
      if (sleeper.at !== Infinity) push(sleepers, sleeper);
    });
  }

  function tick(end: number): void {
    for (;;) {
      const next = pop(sleepers);
      if (!next) throw new VirtualTimeout('nothing is left to happen, and it is not done');
      if (!next.wake) continue;
      if (next.at > end) throw new VirtualTimeout(`not done by ${end}, and nothing happens before ${next.at}`);
      now = Math.max(now, next.at);
      return next.wake();
    }
  }

  async function drive<T>(work: Promise<T>, limit: number): Promise<T> {
    const end = now + limit;
    let settled = false;
    const done = () => void (settled = true);
    work.then(done, done);
    for (;;) {
      await quiet();
      if (settled) return work;
      tick(end);
    }
  }

  return { now: () => now, sleep, drive };
}

/** One turn of the event loop runs all microtasks; a second one, what those have put off to it. */
async function quiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

const before = (a: Sleeper, b: Sleeper) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Sleeper[], sleeper: Sleeper): void {
  let at = heap.push(sleeper) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (!above || !before(sleeper, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = sleeper;
}

function pop(heap: Sleeper[]): Sleeper | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    const child = b && a && before(b, a) ? left + 1 : left;
    const below = heap[child];
    if (!below || !before(below, last)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
  return first;
}
