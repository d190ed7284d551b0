// The optional services of an infrastructure provider, each a facet: present means supported.
import type { Ask, Call } from '../call.ts';
import type { Json } from '../json.ts';
import type { Finding } from './driver.ts';
import type { FieldChange, ResourceOutput, ResourceRef, ResourceSpec } from './resource.ts';
import type { ResourceState } from './state.ts';

/** Finds what exists, whoever made it. */
export interface Enumerator {
  /** Each output has a name and an id. `environment/unsupported` when this type cannot be listed. */
  all(type: string, ask: Ask): AsyncIterable<ResourceOutput>;
  /** What `delete` of the type's driver can take. */
  byTag(tag: string, ask: Ask): AsyncIterable<ResourceRef>;
}

export type DriftClass = 'unknown' | 'in-sync' | 'ghost' | 'config';

export interface Drift {
  readonly name: string;
  readonly type: string;
  readonly drifted: boolean;
  readonly class: DriftClass;
  readonly expected?: Json;
  readonly actual?: Json;
  readonly fields: readonly string[];
}

export interface DriftDetector {
  /** A ref without a spec is looked at for existence only. */
  detect(refs: readonly ResourceRef[], specs: ReadonlyMap<string, ResourceSpec>, ask: Ask): Promise<readonly Drift[]>;
}

export interface CredentialRevoker {
  /** A credential that is gone is fine. */
  revoke(source: string, credentialId: string, call: Call): Promise<void>;
}

export interface Region {
  readonly name: string;
  readonly displayName: string;
}

export interface RegionLister {
  list(environment: string, ask: Ask): Promise<readonly Region[]>;
}

export interface OwnerOf {
  /** Empty: nobody's. */
  readonly owner: string;
  /** Where the platform keeps it, such as a tag. */
  readonly source: string;
}

export interface Ownership {
  get(ref: ResourceRef, ask: Ask): Promise<OwnerOf>;
  /** Repeating it is fine. */
  set(ref: ResourceRef, owner: string, call: Call): Promise<void>;
  list(owner: string, type: string | undefined, ask: Ask): Promise<readonly (OwnerOf & { readonly ref: ResourceRef })[]>;
}

export interface ActionFailure {
  readonly resource: string;
  readonly action: string;
  readonly error: string;
}

export interface Finalizer {
  /** Once after every apply that was not broken off, also one without actions. */
  finalize(planId: string, call: Call): Promise<readonly ActionFailure[]>;
}

export interface PlanView {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly desiredHash: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly actions: readonly {
    readonly action: 'create' | 'update' | 'replace' | 'delete';
    readonly resource: ResourceSpec;
    readonly current?: ResourceState;
    readonly changes: readonly FieldChange[];
    readonly resolvedConfigHash: string;
  }[];
}

export interface PlanDiagnostic {
  readonly severity: 'info' | 'warning' | 'error';
  readonly resource: string;
  readonly field: string;
  readonly message: string;
}

export interface Validator {
  /** Looks at the plan only; asks nobody. */
  validate(plan: PlanView, ask: Ask): Promise<readonly PlanDiagnostic[]>;
}

export interface CaptureRequest {
  readonly resource: ResourceRef;
  readonly component?: string;
  readonly type: 'build' | 'deploy' | 'run' | 'run-restarted';
  readonly tailLines?: number;
  readonly follow: boolean;
  /** Milliseconds. */
  readonly duration?: number;
  readonly deployment?: string;
}

export interface CapturedLog {
  readonly bytes: Uint8Array;
  /** Which part of the resource said it. */
  readonly source: string;
}

export interface LogCapture {
  capture(request: CaptureRequest, ask: Ask): AsyncIterable<CapturedLog>;
}

export interface MigrationRepair {
  readonly app: string;
  readonly database: string;
  readonly image: string;
  readonly sourceDirectory: string;
  readonly expectedDirtyVersion: string;
  readonly forceVersion: string;
  readonly thenUp: boolean;
  readonly upIfClean: boolean;
  /** Must be `FORCE_MIGRATION_METADATA`. */
  readonly confirmForce: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout?: number;
}

export interface MigrationRepaired {
  readonly jobId: string;
  readonly status: string;
  readonly applied: readonly string[];
  readonly logs: string;
  readonly findings: readonly Finding[];
}

export interface MigrationRepairer {
  repair(request: MigrationRepair, call: Call): Promise<MigrationRepaired>;
}
