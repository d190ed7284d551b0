import type { LogStore } from '../logs/port.ts';
import type { Ports } from '../ports.ts';
import type { Providers } from '../providers/registry.ts';
import type { Secrets } from '../secrets/port.ts';
import type { Store } from '../store/port.ts';

/** All that the engine's functions work with; each takes as little of it as it needs. */
export interface Engine {
  readonly store: Store;
  readonly logs: LogStore;
  readonly ports: Ports;
  readonly providers: Providers;
  readonly secrets: Secrets;
  readonly settings: Settings;
  /** Removes secret values from text that is stored or shown. */
  readonly redact: (text: string) => string;
  /** Talk for a person who watches. */
  readonly log: (line: string) => void;
  /** The data directory. */
  readonly home: string;
  /** A ready place of this environment was taken, or there was none to take. */
  readonly refill: (environment: string) => void;
  /** Paths that never belong to a workspace, such as the data directory. */
  readonly exclude: readonly string[];
}

/** Milliseconds. */
export interface Settings {
  /** How long a watcher's silence is taken for life when its death cannot be proven. */
  readonly claimFor: number;
  readonly beatEvery: number;
  /** Between attempts to end a job that does not go, or to release a place that is refused. */
  readonly insistEvery: number;
  /** How long a sweep stays with a run that it took over; one that is still going then is left to the next watcher. */
  readonly sweepPatience: number;
}

export const defaultSettings: Settings = { claimFor: 15_000, beatEvery: 5_000, insistEvery: 2_000, sweepPatience: 10_000 };
