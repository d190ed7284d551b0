import type { Command } from '@errand/contract';

/** `fresh`: a place of its own. `reuse`: one that an earlier run left, if it fits. `keep-on-failure`: fresh, kept to be looked at. */
export type LeasePolicy = 'fresh' | 'reuse' | 'keep-on-failure';

/**
 * What an environment says of its places beyond a single run; part of the specs of runs and leases, so that neither
 * needs the config any more.
 */
export interface Setup {
  readonly policy: LeasePolicy;
  /** Run once in a new place, in order, before its first job. */
  readonly provision: readonly Command[];
  /** How many ready places the environment keeps. */
  readonly warm: number;
  /** The environment's own image and variables: provisioning sees them, and a place that was made under others is another place. */
  readonly image?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secretEnv: Readonly<Record<string, string>>;
  /** What the caller tells his places apart by. */
  readonly reuseLabel?: string;
  /** The config file that the environment is written in: another file may use the same name for another thing. */
  readonly source?: string;
}
