import type { Json } from '../json.ts';

export type Attributes = { readonly [key: string]: Json };

export type Size = 'xs' | 's' | 'm' | 'l' | 'xl';

/** Wishes beside the size, as a person writes them: `2`, `4Gi`, `100Gi`. */
export interface ResourceHints {
  readonly cpu?: string;
  readonly memory?: string;
  readonly storage?: string;
}

/** A resource as it is wanted. References are resolved, sizing is merged in: plan and apply show the driver the same config. */
export interface ResourceSpec {
  /** Unique in a stack; the identity of the resource. */
  readonly name: string;
  readonly type: string;
  readonly config: Attributes;
  readonly size?: Size;
  readonly hints?: ResourceHints;
  readonly dependsOn: readonly string[];
}

/** Without an id the driver looks the resource up by its name. */
export interface ResourceRef {
  readonly name: string;
  readonly type: string;
  readonly providerId?: string;
}

/** A resource as it is. */
export interface ResourceOutput {
  readonly name: string;
  readonly type: string;
  readonly providerId: string;
  readonly outputs: Attributes;
  /** Names of outputs that must not be shown or rest in clear. */
  readonly sensitive: readonly string[];
  /** For people: `running`, `available`; empty where the platform has none. */
  readonly status: string;
}

export interface FieldChange {
  readonly path: string;
  readonly old?: Json;
  readonly new?: Json;
  /** The platform cannot change this in place. */
  readonly forceNew: boolean;
}

/** Neither flag and no change: the resource is as wanted. */
export interface ResourceDiff {
  readonly needsUpdate: boolean;
  readonly needsReplace: boolean;
  readonly changes: readonly FieldChange[];
}
