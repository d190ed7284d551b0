import type { Handle, Json, Resources } from '@errand/contract';
import type { Holder } from '../ports.ts';
import type { LeaseStatus } from './lease-status.ts';

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
  readonly expiresAt: number;
  /** While releasing: how often we tried, when next, and what was said last. */
  readonly attempts: number;
  readonly retryAt: number;
  readonly problem: string | undefined;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
}

export type LeasePatch = Partial<Pick<Lease, 'run' | 'place' | 'expiresAt' | 'attempts' | 'retryAt' | 'problem' | 'endedAt'>>;
