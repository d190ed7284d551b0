import type { Holder } from '../../ports.ts';
import type { Step } from './plan.ts';
import type { ResourceRecord } from './record.ts';

/** Written and synced before the provider call it stands for; closed in the same transaction that writes the result. */
export interface JournalEntry {
  readonly id: string;
  readonly stack: string;
  /** The apply it belongs to. */
  readonly apply: string;
  readonly epoch: number;
  readonly resource: string;
  readonly type: string;
  readonly provider: string;
  readonly use: string;
  readonly do: Step['do'];
  /** The call's idempotency key. A step that is done again after a crash uses the one it had. */
  readonly key: string;
  /** What the call is about; absent when it is to be made. */
  readonly providerId?: string;
  readonly deposed?: string;
  /** What will be recorded when the call has succeeded, without outputs; absent for deletes. */
  readonly intended?: Omit<ResourceRecord, 'providerId' | 'outputs' | 'sensitive' | 'status'>;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
}

/** What became of a step. `skipped`: a step before it failed, or the apply was broken off. */
export type StepOutcome =
  | {
      readonly step: string;
      readonly resource: string;
      readonly status: 'done';
      readonly ms: number;
      readonly adopted?: boolean;
      /** Absent when it is gone. */
      readonly providerId?: string;
    }
  | {
      readonly step: string;
      readonly resource: string;
      readonly status: 'failed';
      readonly ms: number;
      readonly error: StepError;
    }
  | { readonly step: string; readonly resource: string; readonly status: 'skipped'; readonly because: string };

export interface StepError {
  readonly code: string;
  readonly message: string;
  readonly next?: string;
}

/** A lock on a stack's state. It dies with its owner: whoever sees that the heartbeat stopped may take it with a higher epoch. */
export interface StackLock {
  readonly stack: string;
  /** `user@machine`, for people. */
  readonly owner: string;
  readonly holder: Holder;
  readonly reason: string;
  readonly epoch: number;
  readonly takenAt: number;
  readonly heldUntil: number;
}
