// Following exactly once across takeovers. Frames of the current epoch are read first, and the run's view after them:
// only if the epoch is then still unsealed is it certain that a later seal will lie behind these frames. What a stale
// writer added behind its seal is therefore never shown, and what its successor captures again is shown once.
import type { Stream } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Clock } from '../ports.ts';
import { parseCursor } from './cursor.ts';
import type { LogEntry, LogStore, LogView } from './port.ts';

export interface FollowDeps {
  readonly logs: Pick<LogStore, 'read' | 'watch'>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** The run as the store has it now; called after every batch, so it must be cheap. */
  readonly view: () => Promise<LogView>;
  /** Calls back when the run's row may have changed. */
  readonly wake?: (listener: () => void) => Disposable;
}

export interface FollowOptions {
  readonly since?: string | undefined;
  readonly stream?: Stream | undefined;
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** How long other processes' appends may go unnoticed. */
const poll = 100;
const batchSize = 4 * 1024 * 1024;
const nothing: { readonly entries: readonly LogEntry[]; readonly ended: boolean } = { entries: [], ended: true };

/** Everything after `since` once, as it comes, until the log is complete. */
export async function* followLog(deps: FollowDeps, run: string, options: FollowOptions = {}): AsyncGenerator<LogEntry, void> {
  const { signal, stream } = options;
  let { since } = options;
  let rung = false;
  let nap: AbortController | undefined;
  const ring = () => {
    rung = true;
    nap?.abort(quietly);
  };
  using stack = new DisposableStack();
  stack.use(deps.logs.watch(run, ring));
  if (deps.wake) stack.use(deps.wake(ring));
  signal?.addEventListener('abort', ring);
  stack.defer(() => signal?.removeEventListener('abort', ring));

  let view = await deps.view();
  for (;;) {
    if (signal?.aborted) return;
    // What the run itself is about to send goes first: whoever reads along must not hold it up.
    await new Promise((done) => setImmediate(done));
    rung = false;
    const before = view;
    const { entries, ended } = before.silent ? nothing : await readBatch(deps.logs, run, before, since);
    const complete = ended && before.complete;
    if (!complete) view = await deps.view();
    const certain = entries.filter((entry) => isCertain(entry, view));
    for (const entry of certain) {
      // The other stream is read too and dropped here, so that the next batch does not begin with it again.
      since = entry.cursor;
      if (!stream || entry.stream === stream) yield entry;
      if (signal?.aborted) return;
    }
    if (complete) return;
    const more = !ended && certain.length === entries.length;
    if (more || rung || !isSame(before, view)) continue;
    nap = new AbortController();
    await deps.clock.sleep(poll, nap.signal);
    nap = undefined;
  }
}

async function readBatch(logs: FollowDeps['logs'], run: string, view: LogView, since: string | undefined) {
  const entries: LogEntry[] = [];
  let size = 0;
  for await (const entry of logs.read(run, view, since)) {
    entries.push(entry);
    size += entry.bytes.length;
    if (size >= batchSize) return { entries, ended: false };
  }
  return { entries, ended: true };
}

/** Uncertain entries are always the last of a batch, because seals only ever cut off the end of an epoch. */
export function isCertain(entry: LogEntry, view: LogView): boolean {
  const { epoch, bytes } = parseCursor(entry.cursor);
  const seal = view.seals.find((each) => each.epoch === epoch);
  return seal ? bytes <= seal.bytes : epoch === view.epoch || view.complete;
}

function isSame(a: LogView, b: LogView): boolean {
  return a.epoch === b.epoch && a.complete === b.complete && a.silent === b.silent && a.seals.length === b.seals.length;
}
