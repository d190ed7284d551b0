import type { Attributes, Diagnostic, FieldChange, Json, PlanDiagnostic, ResourceHints, Size } from '@errand/contract';
import type { ResourceRecord } from './record.ts';

/** `read` fetches what nobody recorded yet or what is to be taken over; `forget` drops a record and leaves the resource. */
export type ActionKind = 'create' | 'update' | 'replace' | 'delete' | 'forget' | 'read';

/** One provider call, or one change of the state. The graph that apply walks is made of these. */
export interface Step {
  /** `create db`, `delete db`, `delete db (deposed k1)`. Unique in the plan. */
  readonly id: string;
  readonly do: 'create' | 'update' | 'delete' | 'replace' | 'forget' | 'read';
  /** Steps that must have succeeded before; every order there is, is here. */
  readonly after: readonly string[];
  /** Of the deposed self that is deleted. In a replacement that creates first, the key that the old self gets. */
  readonly deposed?: string;
}

/** What is decided about one resource. A replacement has two steps, in either order, or one where the driver does it itself. */
export interface Action {
  readonly kind: ActionKind;
  readonly resource: string;
  readonly type: string;
  readonly provider: string;
  /** For people: why. Never empty. */
  readonly because: readonly string[];
  readonly steps: readonly Step[];
  /** Absent for delete and forget. */
  readonly desired?: PlannedResource;
  /** As recorded, sensitive values sealed. Absent for create. */
  readonly current?: ResourceRecord;
  readonly changes: readonly PlannedChange[];
}

export interface PlannedChange extends FieldChange {
  /** The values are not shown. */
  readonly sensitive: boolean;
  /** The new value is known after apply. */
  readonly unknown: boolean;
}

/**
 * Sizing is merged in. The config is a template, as in the file: references to what this plan touches, to what is
 * unknown and to what is sensitive stand as they were written, the others are resolved, and `$${` is a literal `${`.
 * Apply resolves it with `resolveConfig`; values that `ignore_changes` holds on to may stand there sealed.
 */
export interface PlannedResource {
  readonly config: Attributes;
  /** Paths in the config whose values are known after apply. */
  readonly unknown: readonly string[];
  /** Paths in the config whose values come from secrets or sensitive outputs; they stand there as references, too. */
  readonly sensitive: readonly string[];
  readonly size?: Size;
  readonly hints?: ResourceHints;
  readonly dependsOn: readonly string[];
  readonly protected: boolean;
  readonly createBeforeDestroy: boolean;
  readonly adopt: boolean;
}

/** What a refresh saw that differs from the record. */
export interface DriftSeen {
  readonly resource: string;
  readonly type: string;
  readonly class: 'ghost' | 'config';
  readonly changes: readonly PlannedChange[];
}

export interface Plan {
  readonly format: 1;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly stack: string;
  readonly lineage: string;
  readonly serial: number;
  readonly desiredHash: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly providers: readonly { readonly name: string; readonly use: string; readonly version: string }[];
  /** `apply`, or `destroy`: then the outputs go, too. */
  readonly purpose: 'apply' | 'destroy';
  /** In an order that respects `after`. */
  readonly actions: readonly Action[];
  /** Records that the refresh changed; they are saved before the first step. */
  readonly refreshed: readonly ResourceRecord[];
  readonly drift: readonly DriftSeen[];
  readonly outputs: Readonly<Record<string, PlannedOutput>>;
  readonly diagnostics: readonly (Diagnostic | (PlanDiagnostic & { readonly provider: string }))[];
  /** Resources that are as wanted. */
  readonly unchanged: number;
  /** Left out by --target or --exclude. */
  readonly excluded: readonly string[];
}

export interface PlannedOutput {
  /** As written where it is unknown. */
  readonly value: Json;
  readonly unknown: boolean;
  readonly sensitive: boolean;
}
