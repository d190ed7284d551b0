// What is there now, exactly once, while watchers may take over: as in `follow.ts`, entries are shown only when a look at
// the run after the reading says that no seal can cut them off. Reading on from the last cursor then never meets one
// that lies behind a seal, and never gets again what was shown.
import type { Clock } from '../ports.ts';
import { isCertain } from './follow.ts';
import type { FollowDeps, FollowOptions } from './follow.ts';
import type { LogEntry, LogView } from './port.ts';

export interface ReadNowDeps {
  readonly logs: Pick<FollowDeps['logs'], 'read'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly view: FollowDeps['view'];
}

/** A takeover seals what it found within moments. One that died before that is not waited for: the next one seals it. */
const patience = 1_000;
const poll = 50;
const batchSize = 4 * 1024 * 1024;

/** Ends where the log ended when it was asked; waits only for a takeover that is going on. */
export async function* readNow(deps: ReadNowDeps, run: string, options: FollowOptions = {}): AsyncGenerator<LogEntry, void> {
  const { signal, stream } = options;
  let { since } = options;
  let view = await deps.view();
  for (let waited = 0; waited <= patience && !signal?.aborted; waited += poll) {
    const before = view;
    let cut = false;
    for await (const batch of batches(deps.logs.read(run, before, since, stream))) {
      if (!before.complete) view = await deps.view();
      for (const entry of batch) {
        cut ||= !isCertain(entry, view);
        if (cut) break;
        since = entry.cursor;
        yield entry;
        if (signal?.aborted) return;
      }
      if (cut) break;
    }
    if (!cut && !isTakenOver(before)) return;
    if (!isTakenOver(view)) continue;
    await deps.clock.sleep(poll, signal);
    view = await deps.view();
  }
}

async function* batches(entries: AsyncIterable<LogEntry>): AsyncGenerator<readonly LogEntry[], void> {
  let batch: LogEntry[] = [];
  let size = 0;
  for await (const entry of entries) {
    batch.push(entry);
    size += entry.bytes.length;
    if (size < batchSize) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Somebody has claimed the run and has not said yet where an earlier watcher's log ends. */
function isTakenOver(view: LogView): boolean {
  return !view.complete && view.seals.length < view.epoch - 1;
}
