import type { JobEnd, Stream } from '@errand/contract';

// The far side's memory: plain data, so that it rests in memory or in a file. What is over stays here as a record;
// only the provider's answers forget it. Every time is in milliseconds since the epoch of the cloud's clock.

/** What a job will do. Times count from the moment it leaves pending. */
export interface JobScript {
  readonly output: readonly { readonly at: number; readonly stream: Stream; readonly text: string }[];
  readonly files: readonly { readonly at: number; readonly path: string; readonly text: string }[];
  /** Absent: it never ends by itself. */
  readonly end?: { readonly at: number; readonly end: JobEnd };
  /** How long it stays pending; null for ever. */
  readonly pending: number | null;
  readonly ignoresAsk: boolean;
  /** How many forced stops have no effect. */
  readonly ignoresForce: number;
}

export interface FileRecord {
  readonly kind: 'directory' | 'file' | 'link';
  readonly mode: number;
  /** base64 for a file, the target for a link. */
  readonly content: string;
}

export interface PlaceRecord {
  /** Tells two places apart that had one key after another. */
  readonly id: string;
  readonly key: string;
  readonly owner: string;
  readonly createdAt: number;
  /** The highest epoch that was accepted. */
  epoch: number;
  expiresAt: number;
  files: Record<string, FileRecord>;
  /** How many jobs the cloud had seen when the workspace was filled: what those wrote was replaced. */
  replaced?: number;
  goneAt?: number;
  goneBy?: 'release' | 'expiry' | 'death';
}

export interface JobRecord {
  readonly key: string;
  readonly owner: string;
  /** A place's id. */
  readonly place: string | undefined;
  readonly createdAt: number;
  readonly script: JobScript;
  readonly timeout: number | undefined;
  epoch: number;
  forced: number;
  /** When a stop request will have ended it, and by which signal. */
  stopping?: { readonly at: number; readonly signal: string };
  ended?: { readonly at: number; readonly end: JobEnd };
}

/** A mutating request as the far side met it. `adopted`: the key was known. `nothing`: there was nothing to do. */
export interface JournalEntry {
  readonly at: number;
  readonly method: string;
  readonly key: string;
  readonly place: string | undefined;
  readonly epoch: number;
  readonly result: 'done' | 'adopted' | 'nothing' | 'fenced';
}

export interface CloudState {
  serial: number;
  places: PlaceRecord[];
  jobs: JobRecord[];
  journal: JournalEntry[];
  /** How many jobs a key really started. More than one is a doubled effect. */
  starts: Record<string, number>;
  /** Jobs that were stopped before they were started, with the epoch: a start that comes late must not run. */
  barred: Record<string, number>;
}

export function emptyState(): CloudState {
  return { serial: 0, places: [], jobs: [], journal: [], starts: {}, barred: {} };
}
