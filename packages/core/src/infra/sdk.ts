// Infrastructure as the users of the SDK see it. Data in, data out: the CLI renders it.
import type { CapturedLog, CaptureRequest, Diagnostic, Drift, Json, OwnerOf, ResourceRef } from '@errand/contract';
import type { StackLock, StepOutcome } from '../model/infra/journal.ts';
import type { Action, Plan } from '../model/infra/plan.ts';
import type { ResourceRecord, State, StateHead, StateVersion } from '../model/infra/record.ts';
import type { Stack } from '../model/infra/stack.ts';

export type { StateVersion } from '../model/infra/record.ts';

export interface PlanOptions {
  /** Look at what is there first; true when absent. */
  readonly refresh?: boolean;
  /** Only these and what they depend on. */
  readonly target?: readonly string[];
  /** Not these, and not what depends on them. */
  readonly exclude?: readonly string[];
  readonly purpose?: 'apply' | 'destroy';
  readonly signal?: AbortSignal;
  readonly parallelism?: number;
}

export type ApplyEvent =
  | { readonly kind: 'recovered'; readonly resource: string; readonly what: string }
  | { readonly kind: 'started'; readonly step: string; readonly resource: string; readonly at: number }
  | { readonly kind: 'talk'; readonly step: string; readonly resource: string; readonly line: string }
  | { readonly kind: 'ended'; readonly outcome: StepOutcome };

/** What is to happen around the actions of an apply. */
export interface ApplyHooks {
  /** Once for each action, before anything of it. What it throws fails the action, and what depends on it is skipped. */
  beforeAction?(action: Action): void | Promise<void>;
  /** A resource was created, updated, replaced or taken over, and that is on disk. Outputs that nobody may see are sealed. */
  applied?(record: ResourceRecord): void | Promise<void>;
  /** A resource, or an earlier self of one that was replaced, is gone, and that is on disk. */
  deleted?(gone: { readonly resource: string; readonly type: string; readonly provider: string }): void | Promise<void>;
  /** After the last step and the finalizers, also of an empty plan; not when the apply was broken off. */
  complete?(result: Omit<ApplyResult, 'failures'>): void | Promise<void>;
}

export interface ApplyOptions {
  /** Steps that run at once; 10 when absent. */
  readonly parallelism?: number;
  /** Protected resources that may be replaced or deleted all the same. */
  readonly allow?: readonly string[];
  /** Take resources for this owner, and refuse those of others. */
  readonly owner?: string;
  readonly forceOwner?: boolean;
  readonly on?: (event: ApplyEvent) => void;
  readonly hooks?: ApplyHooks;
  /** No new step starts; those in flight are finished. */
  readonly stop?: AbortSignal;
  /** Ends the calls in flight; the journal keeps what they were about. */
  readonly abort?: AbortSignal;
}

export interface ApplyResult {
  readonly plan: string;
  readonly outcomes: readonly StepOutcome[];
  readonly serial: number;
  /** Stopped or aborted before its end. */
  readonly interrupted: boolean;
  /** From finalizers and hooks, and of outputs that ask a resource for what it does not have (`outputs.NAME`). */
  readonly failures: readonly { readonly resource: string; readonly action: string; readonly error: string }[];
}

export interface RefreshResult {
  readonly refreshed: readonly string[];
  readonly ghosts: readonly string[];
  readonly serial: number;
}

/** One stack. Every method that writes takes the lock, recovers what a crash left, and gives the lock back. */
export interface InfraStack extends AsyncDisposable {
  readonly stack: Stack;
  plan(options?: PlanOptions): Promise<Plan>;
  /** Refuses a plan whose lineage, serial, inputs or provider versions moved: `infra/stale-plan`, saying which. */
  apply(plan: Plan, options?: ApplyOptions): Promise<ApplyResult>;
  drift(options?: { readonly signal?: AbortSignal }): Promise<readonly (Drift & { readonly provider: string })[]>;
  refresh(options?: { readonly signal?: AbortSignal }): Promise<RefreshResult>;
  import(resource: string, providerId: string): Promise<ResourceRecord>;
  importAll(provider: string, type: string, options?: { readonly dryRun?: boolean }): Promise<readonly ResourceRecord[]>;
  state(): Promise<State>;
  history(): Promise<readonly StateVersion[]>;
  /** As a new version on top. */
  restore(serial: number): Promise<StateHead>;
  move(from: string, to: string): Promise<StateHead>;
  /** Forgets; the resource stays. */
  remove(names: readonly string[]): Promise<StateHead>;
  /** A portable document; sensitive values sealed. */
  pull(): Promise<Json>;
  push(document: Json, options?: { readonly force?: boolean }): Promise<StateHead>;
  outputs(options?: {
    readonly reveal?: boolean;
  }): Promise<Readonly<Record<string, { readonly value: Json; readonly sensitive: boolean }>>>;
  lock(): Promise<StackLock | undefined>;
  /** Takes the lock from its holder. */
  unlock(): Promise<StackLock | undefined>;
  status(): Promise<readonly { readonly record: ResourceRecord; readonly status: string; readonly message: string }[]>;
  /** Deletes what carries the tag, through the enumerators. Without `fix` it only tells. */
  cleanup(
    tag: string,
    options: { readonly fix: boolean },
  ): Promise<readonly { readonly ref: ResourceRef; readonly deleted: boolean; readonly error?: string }[]>;
  owners(owner: string, type?: string): Promise<readonly (OwnerOf & { readonly ref: ResourceRef; readonly provider: string })[]>;
  /** Mints the new credential first, stores it, and revokes the old one last. */
  rotate(resource: string): Promise<{ readonly record: ResourceRecord; readonly revoked: boolean; readonly problem?: string }>;
  bootstrap(): Promise<Readonly<Record<string, string>>>;
  logs(request: CaptureRequest, signal: AbortSignal): AsyncIterable<CapturedLog>;
  /** Types and keys that the providers do not know, and providers that cannot be opened. Asks no platform. */
  validate(): Promise<readonly Diagnostic[]>;
}
