import type { Stream } from '@errand/contract';
import type { Clock, followLog, LogEntry, LogSeal, LogStore, LogView, SourcePosition } from '@errand/core';

/** A log store under test, empty. */
export interface LogsSubject extends AsyncDisposable {
  readonly logs: LogStore;
  readonly clock: Clock;
  readonly follow: typeof followLog;
  /** Bytes for the scenario of a large log, and how far memory may grow meanwhile. */
  readonly large: { readonly bytes: number; readonly growth: number };
}

/** One that outlives a process, so that a crash or a bad disk can harm it. */
export interface LastingLogsSubject extends LogsSubject {
  /** Changes the bytes that an epoch left behind. */
  readonly damage: (run: string, epoch: number, change: (bytes: Buffer) => Buffer) => Promise<void>;
}

export interface LogsScenario<S extends LogsSubject = LogsSubject> {
  readonly name: string;
  readonly run: (subject: S) => Promise<void>;
}

export function view(epoch: number, options: { seals?: readonly LogSeal[]; complete?: boolean } = {}): LogView {
  return { epoch, seals: options.seals ?? [], complete: options.complete ?? false };
}

export function at(cursor: string): SourcePosition {
  return { cursor, skip: { stdout: 0, stderr: 0 } };
}

/** Appends each text with its own number in the log as the position, and closes the writer. */
export async function write(logs: LogStore, run: string, epoch: number, texts: readonly string[]): Promise<void> {
  await using writer = await logs.writer(run, epoch);
  for (const [i, text] of texts.entries()) await writer.append(streamOf(text), Buffer.from(text), at(`${epoch}/${i}`));
}

/** Texts that begin with `!` go to stderr. */
export function streamOf(text: string): Stream {
  return text.startsWith('!') ? 'stderr' : 'stdout';
}

export async function entriesOf(entries: AsyncIterable<LogEntry>): Promise<{ stream: Stream; text: string; cursor: string }[]> {
  const all = [];
  for await (const { stream, bytes, cursor } of entries) all.push({ stream, text: Buffer.from(bytes).toString(), cursor });
  return all;
}

export async function textsOf(entries: AsyncIterable<LogEntry>): Promise<string[]> {
  return (await entriesOf(entries)).map((entry) => entry.text);
}
