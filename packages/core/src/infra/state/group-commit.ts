// Many steps write at once, and each waits for the disk. While one commit is under way, whatever else is to be written
// gathers, and goes into the next one together. Order is kept: what is asked for first is never later on disk.
import type { StateHead } from '../../model/infra/record.ts';
import type { Clock } from '../../ports.ts';
import type { StateChange, StateStore } from '../../store/infra/port.ts';

export interface StateWriter {
  /** Resolves when the changes last. After a failed commit everything is refused with the same error. */
  write(...changes: readonly StateChange[]): Promise<void>;
  /** Resolves to the head when all that was asked for so far lasts. */
  settled(): Promise<StateHead>;
  /** Why nothing can be written any more. */
  problem(): unknown;
}

export interface WriterOptions {
  readonly store: Pick<StateStore, 'commit' | 'head'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly stack: string;
  readonly epoch: number;
  readonly changeSet: string;
  readonly by: string;
}

export function createStateWriter(options: WriterOptions): StateWriter {
  const { store, clock, stack, epoch, changeSet, by } = options;
  let waiting: StateChange[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let head: StateHead | undefined;
  let problem: unknown;

  async function flush(before: Promise<void>): Promise<void> {
    await before;
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

  function write(...changes: readonly StateChange[]): Promise<void> {
    waiting.push(...changes);
    if (!next) {
      next = flush(last);
      last = next;
      // Each writer hears of it by its own promise; that nobody listens to this one is no accident.
      next.catch(() => {});
    }
    return next;
  }

  return {
    write,
    problem: () => problem,
    settled: async () => {
      await last;
      return head ?? store.head(stack);
    },
  };
}
