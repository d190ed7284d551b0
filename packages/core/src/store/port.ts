// The store: rows for what is, events for what happened. Two implementations, one suite (`testkit/src/store`).
// Every method is one transaction unless it is called inside `transaction`.
import type { Json } from '@errand/contract';
import type { Holder } from '../ports.ts';
import type { StoredEvent } from '../model/event.ts';
import type { Lease, LeasePatch, LeaseSpec } from '../model/lease.ts';
import type { LeaseEvent, LeaseStatus } from '../model/lease-status.ts';
import type { Run, RunPatch, RunSpec } from '../model/run.ts';
import type { RunEvent, RunStatus } from '../model/run-status.ts';

export interface NewRun {
  readonly id: string;
  readonly key?: string;
  readonly digest: string;
  readonly spec: RunSpec;
  /** Absent: the run waits for a watcher. Present: it is claimed at once with epoch 1. */
  readonly holder?: Holder;
  readonly heldUntil?: number;
  readonly now: number;
}

export interface NewLease {
  readonly id: string;
  readonly spec: LeaseSpec;
  readonly run?: string;
  /** Which runs may take it while it is idle. */
  readonly reuseKey?: string;
  /** Who brings it to life, when no run does: its death leaves a pending lease that nobody waits for. */
  readonly holder?: Holder;
  readonly expiresAt: number;
  readonly now: number;
}

/** An idle lease for a run that does not care which one it gets. */
export interface Wanted {
  /** The first key that has an idle lease decides; of several leases, the one that lasts longest. */
  readonly keys: readonly string[];
  readonly run: string;
  /** The lease's key from then on; absent: no other run takes it unasked. */
  readonly reuseKey?: string | undefined;
  /** One that would expire before this is left alone. */
  readonly lastsUntil: number;
  readonly now: number;
}

export interface RunFilter {
  readonly open?: boolean;
  readonly statuses?: readonly RunStatus[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly lease?: string;
  /** Newest first. */
  readonly limit?: number;
}

export interface Writes {
  /** Inserts with status `queued`; when the key exists already, gives that run and `created: false`. */
  openRun(run: NewRun): Promise<{ readonly run: Run; readonly created: boolean }>;
  /**
   * Makes `holder` the run's watcher if the epoch is still the one the caller saw; raises the run's epoch and that
   * of the lease it holds. Undefined when somebody was quicker or the run is closed.
   */
  claimRun(id: string, seenEpoch: number, holder: Holder, heldUntil: number, now: number): Promise<Run | undefined>;
  /** Extends the claim. Throws `run/fenced` when the epoch is old. Gives the row as it is now. */
  beatRun(id: string, epoch: number, heldUntil: number): Promise<Run>;
  /** Lets go of a claim without ending the run, so that the next watcher need not wait. Fenced callers are ignored. */
  letGoRun(id: string, epoch: number): Promise<void>;
  /** The only writer of a run's status. Throws `run/fenced` or `run/wrong-status`. */
  advanceRun(id: string, epoch: number, event: RunEvent, patch: RunPatch, now: number): Promise<Run>;
  /** Records facts without an event of the table. Throws `run/fenced`. The cause is set only if none is there yet. */
  noteRun(id: string, epoch: number, patch: RunPatch, now: number): Promise<Run>;
  /** Anybody may ask; `force` is never lowered to `ask`. Undefined when the run is closed or closing. */
  cancelRun(id: string, how: 'ask' | 'force', now: number): Promise<Run | undefined>;

  /** Inserts with status `pending` and epoch 1. */
  openLease(lease: NewLease): Promise<Lease>;
  /** The only writer of a lease's status. Throws `lease/fenced` or `lease/wrong-status`. `expiresAt` never goes back. */
  advanceLease(id: string, epoch: number, event: LeaseEvent, patch: LeasePatch, now: number): Promise<Lease>;
  /** `idle` → `active` for this run, with a new epoch. Throws `lease/held` when another run has it, `lease/ended` when it is over. */
  takeLease(id: string, run: string, now: number): Promise<Lease>;
  /** The same for any idle lease with one of the keys; undefined when there is none. Of many callers each gets another one. */
  takeIdle(wanted: Wanted): Promise<Lease | undefined>;
  /** Opens the lease unless there are `most` of its reuse key that are pending or idle; undefined then. Concurrent callers count each other. */
  openWarm(lease: NewLease & { readonly reuseKey: string }, most: number): Promise<Lease | undefined>;
}

export interface Reads {
  run(id: string): Promise<Run | undefined>;
  /** By id or by an unambiguous beginning of it. */
  findRuns(prefix: string): Promise<readonly Run[]>;
  runByKey(key: string): Promise<Run | undefined>;
  runs(filter: RunFilter): Promise<readonly Run[]>;
  lease(id: string): Promise<Lease | undefined>;
  findLeases(prefix: string): Promise<readonly Lease[]>;
  /** `open`: those that are not released. Newest first. */
  leases(filter: {
    readonly open?: boolean;
    readonly statuses?: readonly LeaseStatus[];
    readonly reuseKey?: string;
    readonly limit?: number;
  }): Promise<readonly Lease[]>;
  /** Every provider with every set of options that any lease was ever on, each once. */
  providersUsed(): Promise<readonly { readonly provider: string; readonly options: Json }[]>;
  events(subject: { readonly id?: string; readonly after?: number; readonly limit?: number }): Promise<readonly StoredEvent[]>;
}

export interface Store extends Reads, Writes, AsyncDisposable {
  /** This installation's name on everything it makes outside. Made once, with the database. */
  readonly owner: string;
  /** All or nothing. Calls inside must go to `tx`, not to the store. */
  transaction<T>(work: (tx: Reads & Writes) => Promise<T>): Promise<T>;
  /** Calls back soon after anybody, in any process, has written. May call back for nothing. */
  watch(listener: () => void): Disposable;
}
