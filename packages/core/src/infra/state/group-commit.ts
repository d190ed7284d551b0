// Many steps write at once, and each waits for the disk. While one commit is under way, whatever else is to be written
// gathers, and goes into the next one together; what nobody waits for gathers a little longer. Order is kept: what is
// asked for first is never later on disk.
import { quietly } from '../../base/quietly.ts';
import type { StateHead } from '../../model/infra/record.ts';
import type { Clock } from '../../ports.ts';
import type { StateChange, StateStore } from '../../store/infra/port.ts';

export interface StateWriter {
  /** Resolves when the changes last. After a failed commit everything is refused with the same error. */
  write(...changes: readonly StateChange[]): Promise<void>;
  /** The same, for what nothing waits for: with the next `write`, or soon. */
  writeSoon(...changes: readonly StateChange[]): Promise<void>;
  /** Resolves to the head when all that was asked for so far lasts. */
  settled(): Promise<StateHead>;
  /** Why nothing can be written any more. */
  problem(): unknown;
}

export interface WriterOptions {
  readonly store: Pick<StateStore, 'commit' | 'head'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly stack: string;
  readonly epoch: number;
  readonly changeSet: string;
  readonly by: string;
}

/** How long a change may wait for company, in milliseconds, and how many may. */
const soon = 10;
const enough = 128;

export function createStateWriter(options: WriterOptions): StateWriter {
  const { store, clock, stack, epoch, changeSet, by } = options;
  let waiting: StateChange[] = [];
  let next: { readonly written: Promise<void>; readonly hurry: () => void } | undefined;
  let last: Promise<void> = Promise.resolve();
  let head: StateHead | undefined;
  let problem: unknown;

  async function flush(before: Promise<void>, due: Promise<void>): Promise<void> {
    await before;
    await due;
    // A turn of the event loop: what other steps write in answer to the same news goes in, too.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const changes = waiting;
    waiting = [];
    next = undefined;
    try {
      head = await store.commit({ stack, epoch, changeSet, by, now: clock.now(), changes });
    } catch (error) {
      problem ??= error;
      throw error;
    }
  }

  function begin() {
    const hurried = new AbortController();
    const written = flush(last, clock.sleep(soon, hurried.signal));
    last = written;
    // Each writer hears of it by its own promise; that nobody listens to this one is no accident.
    written.catch(() => {});
    return { written, hurry: () => hurried.abort(quietly) };
  }

  function write(changes: readonly StateChange[], isUrgent: boolean): Promise<void> {
    waiting.push(...changes);
    next ??= begin();
    if (isUrgent || waiting.length >= enough) next.hurry();
    return next.written;
  }

  return {
    write: (...changes) => write(changes, true),
    writeSoon: (...changes) => write(changes, false),
    problem: () => problem,
    settled: async () => {
      next?.hurry();
      await last;
      return head ?? store.head(stack);
    },
  };
}
