import type { Command, Handle, Json, Reason, Resources } from '@errand/contract';
import type { Holder } from '../ports.ts';
import type { RunStatus } from './run-status.ts';
import type { Setup } from './setup.ts';

/** What a caller asked for, fully resolved: a fresh process on another day executes the same thing from it. */
export interface RunSpec {
  readonly environment: string;
  readonly provider: string;
  readonly options: Json;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  /** Name → `secret://store/path`. Values are never part of a spec. */
  readonly secretEnv: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly resources: Resources;
  /** All times in milliseconds. */
  readonly timeout?: number;
  readonly pendingTimeout?: number;
  readonly grace: number;
  readonly ttl: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Run inside this standing lease instead of one of its own. */
  readonly lease?: string;
  /** Absent where the environment says nothing beyond a single run: a fresh place, released at the end. */
  readonly setup?: Setup;
  /** Absolute directory to copy in. */
  readonly workspace?: string;
  readonly collect: readonly string[];
  /** Absolute directory that collected files go to. */
  readonly out?: string;
  /** What the job changed in the workspace is merged into `workspace` afterwards. */
  readonly syncBack?: true;
}

/** How a run ended. Set once; the first cause wins. */
export type Outcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  /** Said only after the job was proven gone. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timed-out'; readonly after: 'pending' | 'running' }
  | { readonly kind: 'lost'; readonly evidence: string }
  | {
      readonly kind: 'errored';
      readonly reason: Reason;
      readonly code: string;
      readonly message: string;
      readonly next?: string;
    };

/** Why we are ending a job that has not ended by itself. Recorded before the first stop request. */
export type Cause = { readonly kind: 'cancelled' } | { readonly kind: 'timed-out'; readonly after: 'pending' | 'running' };

/** Where the log of an earlier watcher ends; what it may have written past that does not count. */
export interface LogSeal {
  readonly epoch: number;
  readonly bytes: number;
  /** Where the provider's log goes on after those bytes; absent when nothing was written. */
  readonly position?: SourcePosition;
}

/** A provider's position that goes with written bytes; `skip` raw bytes of each stream after `cursor` are written too. */
export interface SourcePosition {
  readonly cursor: string | undefined;
  readonly skip: { readonly stdout: number; readonly stderr: number };
}

/** What became of the job's changes when they were brought back into the workspace that it got. */
export interface SyncReport {
  readonly written: number;
  readonly deleted: number;
  /** New files of the job that the workspace's ignore rules name; they stay behind. */
  readonly ignored: number;
  readonly conflicts: readonly SyncConflict[];
  /** Where all of the job's changes are kept, when not all could be written. Absolute. */
  readonly kept?: string;
}

/** Nothing was overwritten: what is here stays as it is. */
export interface SyncConflict {
  readonly path: string;
  /**
   * `changed-both`: here and by the job, differently. `deleted-here`: the job changed it. `deleted-there`: it changed here.
   * `in-the-way`: something else is where the job's file would go. `unsafe`: a name or link that could lead out.
   */
  readonly why: 'changed-both' | 'deleted-here' | 'deleted-there' | 'in-the-way' | 'unsafe';
  /** Where the job's version is kept, relative to the workspace. */
  readonly kept?: string;
}

export interface Run {
  readonly id: string;
  readonly key: string | undefined;
  /** SHA-256 of the canonical spec; the same key with another digest is refused. */
  readonly digest: string;
  readonly spec: RunSpec;
  readonly status: RunStatus;
  /** Goes up whenever another watcher takes over; writes with an older one are refused. */
  readonly epoch: number;
  readonly holder: Holder | undefined;
  /** Until when the holder's silence does not count as death. */
  readonly heldUntil: number;
  readonly lease: string | undefined;
  readonly job: Handle<'job'> | undefined;
  readonly cancel: 'ask' | 'force' | undefined;
  readonly cause: Cause | undefined;
  readonly outcome: Outcome | undefined;
  /** The last thing worth knowing while a run is not where it should be: an unconfirmed stop, a failed collect. */
  readonly problem: string | undefined;
  /** Absent until the changes were brought back. */
  readonly sync: SyncReport | undefined;
  readonly seals: readonly LogSeal[];
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly closedAt: number | undefined;
}

/** Facts that travel with an event; they are written in the same transaction. */
export type RunPatch = Partial<
  Pick<Run, 'lease' | 'job' | 'cause' | 'outcome' | 'problem' | 'sync' | 'seals' | 'startedAt' | 'endedAt' | 'closedAt'>
>;
