import type { Attributes } from '@errand/contract';

/**
 * What the state holds of one resource. Sensitive values (outputs, and whatever in the config came from a secret or a
 * sensitive output) are `Sealed` wherever a record rests or is shown; only apply opens them.
 */
export interface ResourceRecord {
  readonly name: string;
  readonly type: string;
  /** The configured provider, and the definition it uses. */
  readonly provider: string;
  readonly use: string;
  readonly providerId: string;
  /** The config that was applied, references resolved. */
  readonly config: Attributes;
  /** `ConfigHash` of the contract, over the config as it was applied. */
  readonly configHash: string;
  /** By reference, which value of each secret in the config was applied; a keyed fingerprint. Absent: there are none, or nobody knows. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly source: 'apply' | 'adoption' | 'import';
  readonly outputs: Attributes;
  readonly sensitive: readonly string[];
  readonly status: string;
  readonly dependencies: readonly string[];
  readonly protected: boolean;
  readonly createBeforeDestroy: boolean;
  readonly owner?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly driftCheckedAt?: number;
  /** Earlier selves that a replacement left standing and that are still to be deleted. */
  readonly deposed: readonly DeposedResource[];
  /** A creation that failed half-way: the next plan replaces it. */
  readonly tainted: boolean;
}

export interface DeposedResource {
  readonly key: string;
  readonly providerId: string;
  readonly outputs: Attributes;
}

/** Stands for a value that must not rest in clear: AES-256-GCM, the name of the key, and a fingerprint to compare by. */
export interface Sealed {
  readonly $sealed: string;
  readonly $fingerprint: string;
}

export interface StateHead {
  readonly stack: string;
  /** Made once with the state; two states with different lineages are not versions of each other. */
  readonly lineage: string;
  /** Grows with every change. */
  readonly serial: number;
  readonly updatedAt: number;
}

export interface State extends StateHead {
  readonly resources: ReadonlyMap<string, ResourceRecord>;
  readonly outputs: ReadonlyMap<string, StateOutput>;
}

export interface StateOutput {
  /** `Sealed` when sensitive. */
  readonly value: Attributes[string];
  readonly sensitive: boolean;
}

/** One change set, as `state history` lists it. */
export interface StateVersion extends StateHead {
  /** What wrote it: `apply plan-…`, `import`, `state rm`. */
  readonly by: string;
  readonly resources: number;
}
