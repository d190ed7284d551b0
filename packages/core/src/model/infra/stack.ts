import type { Attributes, Json, ResourceHints, Size } from '@errand/contract';

/** Where something was written. */
export interface Origin {
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly column: number;
}

/**
 * What the `infra` section of errand.yaml declares, with the overlay of one environment laid over it. References
 * (`${db.host}`) stand in the configs as they were written; `${env:X}` is filled in.
 */
export interface Stack {
  /** The overlay's name; `default` without one. Each has a state of its own. */
  readonly name: string;
  readonly providers: ReadonlyMap<string, DeclaredProvider>;
  /** In the order of the file. */
  readonly resources: ReadonlyMap<string, DeclaredResource>;
  readonly outputs: ReadonlyMap<string, DeclaredOutput>;
  /** Where the state is kept; the store when absent. */
  readonly backend?: DeclaredBackend;
  /** Values that came from outside, by name (`env:X`, `secret://…`): a fingerprint of each, never the value. */
  readonly inputs: ReadonlyMap<string, string>;
}

export interface DeclaredProvider {
  readonly name: string;
  /** Name of the provider definition. */
  readonly use: string;
  readonly config: Json;
  readonly origin?: Origin;
}

export interface DeclaredBackend {
  readonly provider: string;
  readonly name: string;
  readonly config: Json;
  readonly origin?: Origin;
}

export interface DeclaredResource {
  readonly name: string;
  readonly type: string;
  readonly provider: string;
  readonly config: Attributes;
  readonly size?: Size;
  readonly hints?: ResourceHints;
  /** As written, and by references; each once. */
  readonly dependsOn: readonly string[];
  readonly protected: boolean;
  readonly lifecycle: Lifecycle;
  /** Take over what is there under this name instead of refusing it. */
  readonly adopt: boolean;
  readonly origin?: Origin;
  /** Of a key in the config, by its path such as `env.DSN`. */
  readonly origins?: ReadonlyMap<string, Origin>;
}

export interface Lifecycle {
  readonly createBeforeDestroy: boolean;
  /** Paths in the config whose changes are no reason to act. */
  readonly ignoreChanges: readonly string[];
  readonly preventDestroy: boolean;
}

export interface DeclaredOutput {
  readonly name: string;
  readonly value: Json;
  readonly sensitive: boolean;
  readonly origin?: Origin;
}
