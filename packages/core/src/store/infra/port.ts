// Where the state of stacks lies. One suite (`testkit/src/infra/state-suite`) for SQLite, PostgreSQL and plugins' backends.
import type { JournalEntry, StackLock } from '../../model/infra/journal.ts';
import type { ResourceRecord, State, StateHead, StateOutput, StateVersion } from '../../model/infra/record.ts';

export type StateChange =
  | { readonly kind: 'open'; readonly entry: JournalEntry }
  /** An entry that is closed already is fine. */
  | { readonly kind: 'close'; readonly id: string }
  | { readonly kind: 'put'; readonly record: ResourceRecord }
  | { readonly kind: 'drop'; readonly name: string }
  | { readonly kind: 'put-output'; readonly name: string; readonly output: StateOutput }
  | { readonly kind: 'drop-output'; readonly name: string };

export interface StateWrite {
  readonly stack: string;
  /** Of the lock; an old one is refused with `infra/fenced`. */
  readonly epoch: number;
  /** Writes of one change set are one version in the history. */
  readonly changeSet: string;
  readonly by: string;
  readonly now: number;
  /** All that is recorded gives way to what the changes put, also what cannot be read any more. */
  readonly whole?: boolean;
  /** For a state that comes from elsewhere: the lineage it has from then on. */
  readonly lineage?: string;
  /** In order: of several for one name the last counts. */
  readonly changes: readonly StateChange[];
}

/** Who holds the stack, and the epoch that whoever takes it must have seen. */
export interface LockView {
  readonly epoch: number;
  readonly lock: StackLock | undefined;
}

export interface StateStore extends AsyncDisposable {
  /** Serial 0 and no lineage when there was never one. `state/newer` and `state/corrupt` change nothing. */
  read(stack: string): Promise<State>;
  head(stack: string): Promise<StateHead>;
  /** Entries whose calls are not known to be over, oldest first. */
  journal(stack: string): Promise<readonly JournalEntry[]>;
  /** All or nothing where the place allows it; it lasts when this resolves. The serial grows when records or outputs change. */
  commit(write: StateWrite): Promise<StateHead>;
  /** Newest first. */
  history(stack: string): Promise<readonly StateVersion[]>;
  /** `state/unknown` when there is no such version (any more). */
  version(stack: string, serial: number): Promise<State>;
  look(stack: string): Promise<LockView>;
  /**
   * Makes the lock the caller's, with a new epoch, if the epoch is still the one it saw; undefined when somebody was
   * quicker. Whether the former holder may be passed over is the caller's question. `lineage` is for a new state.
   */
  takeLock(seenEpoch: number, lock: Omit<StackLock, 'epoch'>, lineage: string): Promise<StackLock | undefined>;
  /** `infra/fenced` when the lock is somebody else's. */
  beatLock(stack: string, epoch: number, heldUntil: number): Promise<void>;
  /** Old epochs are ignored. */
  releaseLock(stack: string, epoch: number): Promise<void>;
  /** Takes it from whoever has it, who is fenced from then on. */
  breakLock(stack: string): Promise<StackLock | undefined>;
}
