import type { Handle, Json, Resources } from '@errand/contract';
import type { Holder } from '../ports.ts';
import type { LeaseStatus } from './lease-status.ts';
import type { LogSeal } from './run.ts';
import type { Setup } from './setup.ts';

export interface LeaseSpec {
  readonly environment: string;
  readonly provider: string;
  readonly options: Json;
  readonly image?: string;
  readonly resources: Resources;
  readonly labels: Readonly<Record<string, string>>;
  readonly ttl: number;
  /** Made to take many jobs; a lease of a single run is not. */
  readonly standing?: boolean;
  /** Absent where the environment says nothing beyond a single run. */
  readonly setup?: Setup;
  /** SHA-256 over all that the environment was when the place was asked for; see `lease/keys.ts`. */
  readonly fingerprint?: string;
  /** Made ahead of any run, for the environment's pool. */
  readonly warm?: true;
}

/** How far `provision:` has come, and where the log of it ends in each epoch that captured some of it. */
export interface Provisioning {
  readonly done: number;
  readonly seals: readonly LogSeal[];
}

export interface Lease {
  readonly id: string;
  readonly spec: LeaseSpec;
  readonly status: LeaseStatus;
  /** Goes up with every new holder; an old one is refused by the store and by the place. */
  readonly epoch: number;
  /** The run that uses the place now. A lease without one is idle. */
  readonly run: string | undefined;
  /** Who brought it to life, when no run did. */
  readonly holder: Holder | undefined;
  readonly place: Handle<'place'> | undefined;
  /** Runs that want this key may take the lease while it is idle; without one it is taken by id only. */
  readonly reuseKey: string | undefined;
  /** Some run has worked in the place: its workspace is not as new. */
  readonly used: boolean;
  readonly provisioning: Provisioning | undefined;
  readonly expiresAt: number;
  /** While releasing: how often we tried, when next, and what was said last. */
  readonly attempts: number;
  readonly retryAt: number;
  readonly problem: string | undefined;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
}

export type LeasePatch = Partial<
  Pick<Lease, 'run' | 'place' | 'provisioning' | 'expiresAt' | 'attempts' | 'retryAt' | 'problem' | 'endedAt'>
>;
