import type { Json } from './json.ts';
import type { Handle } from './handle.ts';
import type { Reason } from './error.ts';

/** argv goes through no shell; only an explicit script does. */
export type Command = { readonly argv: readonly string[] } | { readonly script: string };

export interface Resources {
  /** Cores. */
  readonly cpu?: number;
  /** Bytes. */
  readonly memory?: number;
}

/** One command, as a provider gets it. */
export interface JobSpec {
  readonly owner: string;
  readonly place?: Handle<'place'>;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  /** Name → reference (`secret://store/path`). The provider asks for the value at the last moment. */
  readonly secretEnv: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly resources: Resources;
  /** Milliseconds from the start of the command. Also enforced by the far side where it can. */
  readonly timeout?: number;
  /** Milliseconds between asking a job to end and forcing it. */
  readonly grace: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The provider's own keys of the environment, already validated by its schema. */
  readonly options: Json;
}

/** How a job ended, as the provider saw it. `exited 1` is an answer, not an error. */
export type JobExit = JobEnd & {
  /** Milliseconds since the epoch; absent when the platform does not tell. */
  readonly startedAt?: number;
  readonly endedAt?: number;
};
export type JobEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  /** The far side ended it at its deadline. */
  | { readonly kind: 'timed-out' }
  /** It is gone and nobody knows how it ended. */
  | { readonly kind: 'lost'; readonly evidence: string }
  | { readonly kind: 'errored'; readonly reason: Reason; readonly message: string };

export type Stream = 'stdout' | 'stderr';

export interface LogChunk {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
  /** Opaque. Resuming after it gives every later byte once. */
  readonly cursor: string;
  /** Where the same bytes lie, so that whoever keeps them may link to the file instead of copying. */
  readonly local?: LocalBytes;
}

/**
 * Bytes in a file of this machine that is only ever appended to: what is below its end now never changes, and neither
 * does the name while the job is there. Without secrets that are to be redacted. A link to the file may outlive the job.
 */
export interface LocalBytes {
  readonly path: string;
  readonly offset: number;
}

/** Something found on the far side with our owner label. */
export interface Seen<K extends 'place' | 'job'> {
  readonly key: string;
  readonly handle: Handle<K>;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly alive: boolean;
}
