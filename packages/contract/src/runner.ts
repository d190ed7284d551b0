import type { Ask, Call, SecretCall } from './call.ts';
import type { Handle, Ref } from './handle.ts';
import type { JobExit, JobSpec, LogChunk, Seen } from './job.ts';

/** Runs commands. Job clouds offer just this facet. */
export interface Runner {
  /**
   * Resolves when the command is running or has ended; a program that cannot be found or executed is an exit of
   * 127 or 126 with a line on stderr. The same key adopts the job that is there; it never starts a second one.
   */
  start(spec: JobSpec, call: SecretCall): Promise<Handle<'job'>>;
  /** Resolves when nothing of the job is alive any more. May be called by any process, many times, before or after the end. */
  wait(job: Ref<'job'>, ask: Ask): Promise<JobExit>;
  /** Every byte once and in order per stream, from `after` on; ends when the job has ended and all was given. */
  logs(job: Ref<'job'>, after: string | undefined, ask: Ask): AsyncIterable<LogChunk>;
  /**
   * Delivers the request to every process of the job; `wait` is the proof. `ask` lets it end itself, `force` does
   * not. Stopping an ended or unknown job is fine.
   */
  stop(job: Ref<'job'>, how: 'ask' | 'force', call: Call): Promise<void>;
  /** Inventory by owner. A list may lag: absence is no proof. */
  find(owner: string, ask: Ask): AsyncIterable<Seen<'job'>>;
}
