import type { Ask, SecretCall } from '../call.ts';
import type { ResourceDiff, ResourceOutput, ResourceRef, ResourceSpec } from './resource.ts';

/** What `diff` compares. */
export interface DiffPair {
  readonly desired: ResourceSpec;
  /** As it was last seen. Sensitive outputs are there in clear. */
  readonly current: ResourceOutput;
}

export interface Health {
  readonly healthy: boolean;
  readonly message: string;
}

/** What a driver found out about a resource that does not come up. */
export interface Finding {
  readonly id: string;
  readonly phase: string;
  readonly cause: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly detail: string;
}

/**
 * One type of resource. Config values that were written as secrets come as `secret://…` references; the driver asks
 * `call.secret` for the plaintext at the last moment. Every method may be called for many resources at once.
 */
export interface Driver {
  /** Undefined: it is not there. Anything that leaves this open is an error, never undefined. */
  read(ref: ResourceRef, ask: Ask): Promise<ResourceOutput | undefined>;
  /** Compares without asking the platform; reads nothing but its arguments. */
  diff(desired: ResourceSpec, current: ResourceOutput, ask: Ask): Promise<ResourceDiff>;
  /**
   * Resolves when the resource is usable. The same key adopts what an earlier call made, also a half-made one;
   * something of that name that the key did not make is a `provider/conflict`.
   */
  create(spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput>;
  /** Repeating it gives the same resource. `provider/not-found` when it is gone. */
  update(ref: ResourceRef, spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput>;
  /** Resolves when it is gone. Deleting what is gone or never was is fine. */
  delete(ref: ResourceRef, call: SecretCall): Promise<void>;

  /** Outputs that are always sensitive, beside those that an answer names. */
  readonly sensitiveKeys?: readonly string[];
  /** Keys of the config that this type understands; absent: whatever the provider takes. */
  readonly configKeys?: readonly string[];
  /** Something of that name that we did not make is read and updated instead of refused. */
  readonly upserts?: boolean;
  /** Two of one name cannot stand side by side, so nothing is made before what it replaces is gone. */
  readonly oneName?: boolean;
  /** `create` does not know its key again: what is found by its name after a lost answer is taken for what it made. */
  readonly keyless?: boolean;
  /** Where a resource that nobody of us made may be found, so that it can be taken over; undefined: it may not. */
  adopt?(spec: ResourceSpec): ResourceRef | undefined | Promise<ResourceRef | undefined>;
  /** The driver's own way from the old resource to the new one. Same key, same effect. */
  replace?(ref: ResourceRef, spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput>;
  scale?(ref: ResourceRef, replicas: number, call: SecretCall): Promise<ResourceOutput>;
  health?(ref: ResourceRef, ask: Ask): Promise<Health>;
  troubleshoot?(ref: ResourceRef, failure: string, ask: Ask): Promise<readonly Finding[]>;
  /** As many `read`s, in order; present where one question for many is cheaper. */
  readMany?(refs: readonly ResourceRef[], ask: Ask): Promise<readonly (ResourceOutput | undefined)[]>;
  /** As many `diff`s, in order. */
  diffMany?(pairs: readonly DiffPair[], ask: Ask): Promise<readonly ResourceDiff[]>;
}
