// What a place is good for, as one text. Two runs may have one place after the other only if their keys are the same, so
// everything that could make a difference goes in: a key that says too much costs time, one that says too little is wrong.
import { digestOf } from '../base/canonical.ts';
import type { Command, Json, Resources } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { RunSpec } from '../model/run.ts';
import type { Setup } from '../model/setup.ts';

/** All that an environment is, as far as a place made under it could differ. */
export interface FingerprintParts {
  readonly provider: string;
  readonly version: string;
  readonly options: Json;
  readonly image: string | undefined;
  readonly resources: Resources;
  readonly env: Readonly<Record<string, string>>;
  readonly secretEnv: Readonly<Record<string, string>>;
  /** Reference → version. */
  readonly secretVersions: Readonly<Record<string, string>>;
  readonly provision: readonly Command[];
}

export function fingerprintOf(parts: FingerprintParts): string {
  return digestOf(parts);
}

export interface KeyParts {
  readonly tenant: string;
  readonly environment: string;
  readonly fingerprint: string;
  /** The image that is really used; a run may have asked for another one than the environment's. */
  readonly image: string | undefined;
  /** Absolute. */
  readonly workspace: string | undefined;
  readonly label: string | undefined;
}

export function reuseKeyOf(parts: KeyParts): string {
  return digestOf({ for: 'reuse', ...parts });
}

/** Without what belongs to single runs: nobody knows yet who will take it. */
export function poolKeyOf(parts: Pick<KeyParts, 'tenant' | 'environment' | 'fingerprint'>): string {
  return digestOf({ for: 'pool', ...parts });
}

export interface LeaseKeys {
  readonly fingerprint: string;
  /** Absent: places are not reused. */
  readonly reuse: string | undefined;
  /** Absent: the environment keeps no ready places, or none that would do for this run. */
  readonly pool: string | undefined;
}

/** Until there are tenants. */
const tenant = 'default';

export type Keyed = Pick<RunSpec, 'environment' | 'provider' | 'options' | 'resources' | 'image' | 'workspace'> & {
  readonly setup: Setup;
};

export async function leaseKeys(engine: Pick<Engine, 'providers' | 'secrets'>, spec: Keyed): Promise<LeaseKeys> {
  const { environment, provider, options, resources, image, workspace, setup } = spec;
  const references = [...new Set(Object.values(setup.secretEnv))];
  const versions = references.map(async (reference) => [reference, await engine.secrets.version(reference)] as const);
  const fingerprint = fingerprintOf({
    provider,
    version: engine.providers.definitions.get(provider)?.version ?? '',
    options,
    image: setup.image,
    resources,
    env: setup.env,
    secretEnv: setup.secretEnv,
    secretVersions: Object.fromEntries(await Promise.all(versions)),
    provision: setup.provision,
  });
  const own = { tenant, environment, fingerprint };
  return {
    fingerprint,
    reuse: setup.policy === 'reuse' ? reuseKeyOf({ ...own, image, workspace, label: setup.reuseLabel }) : undefined,
    pool: setup.warm > 0 && image === setup.image ? poolKeyOf(own) : undefined,
  };
}
