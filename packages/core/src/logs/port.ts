// Logs are not rows: append-only segments of framed chunks, one segment per run and epoch, behind this port.
// A frame carries the provider's cursor, so the last whole frame tells a new watcher where to go on; a torn frame at
// the end is cut off. `LogSeal`s in the run row say where each older epoch ends: a fenced writer cannot add to it.
import type { LocalBytes, Stream } from '@errand/contract';
import type { LogSeal, SourcePosition } from '../model/run.ts';

export type { SourcePosition };

export interface LogEntry {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
  /** Opaque text for people and flags: reading after it gives what came later. */
  readonly cursor: string;
}

export interface LogWriter extends AsyncDisposable {
  /** `source` is where exactly these bytes lie already: a store on the same machine may link to them instead of copying. */
  append(stream: Stream, bytes: Uint8Array, position: SourcePosition, source?: LocalBytes): Promise<void>;
}

/** What a reader must know of the run to read exactly once. */
export interface LogView {
  readonly seals: readonly LogSeal[];
  readonly epoch: number;
  /** No more will come. */
  readonly complete: boolean;
  /** Nothing can be there yet, so looking is in vain. */
  readonly silent?: boolean;
}

export interface LogStore {
  /** The end of what `epoch` wrote, a torn frame not counted. Safe while its writer is still alive. */
  tail(run: string, epoch: number): Promise<LogSeal>;
  writer(run: string, epoch: number): Promise<LogWriter>;
  /** What is there now after `since`, oldest first; does not wait for more. */
  read(run: string, view: LogView, since: string | undefined, stream?: Stream): AsyncIterable<LogEntry>;
  /** Calls back soon after bytes were appended to this run by this process. */
  watch(run: string, listener: () => void): Disposable;
}
