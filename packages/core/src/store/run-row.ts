// A run as a row. Columns that hold a structure hold it as JSON text; absent is NULL.
import type { Handle } from '@errand/contract';
import type { Cause, LogSeal, Outcome, Run, RunPatch, RunSpec, SyncReport } from '../model/run.ts';
import type { RunStatus } from '../model/run-status.ts';
import type { Holder } from '../ports.ts';
import type { Row } from './database.ts';
import { decode, encode, plain } from './statement.ts';

export interface RunRow extends Row {
  readonly id: string;
  readonly key: string | null;
  readonly digest: string;
  readonly spec: string;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly holder: string | null;
  readonly held_until: number;
  readonly lease: string | null;
  readonly job: string | null;
  readonly cancel: 'ask' | 'force' | null;
  readonly cause: string | null;
  readonly outcome: string | null;
  readonly problem: string | null;
  readonly sync: string | null;
  readonly seals: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly closed_at: number | null;
}

export function runOf(row: RunRow): Run {
  return {
    id: row.id,
    key: row.key ?? undefined,
    digest: row.digest,
    spec: decode(row.spec) as RunSpec,
    status: row.status,
    epoch: row.epoch,
    holder: decode(row.holder) as Holder | undefined,
    heldUntil: row.held_until,
    lease: row.lease ?? undefined,
    job: decode(row.job) as Handle<'job'> | undefined,
    cancel: row.cancel ?? undefined,
    cause: decode(row.cause) as Cause | undefined,
    outcome: decode(row.outcome) as Outcome | undefined,
    problem: row.problem ?? undefined,
    sync: decode(row.sync) as SyncReport | undefined,
    seals: decode(row.seals) as readonly LogSeal[],
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    closedAt: row.closed_at ?? undefined,
  };
}

/** The columns that a patch writes. A key that is there with `undefined` clears; cause and outcome are set once. */
export function runChanges(row: RunRow, patch: RunPatch): Partial<RunRow> {
  return {
    ...('lease' in patch && { lease: patch.lease ?? null }),
    ...('job' in patch && { job: encode(patch.job) }),
    ...(patch.cause && row.cause === null && { cause: encode(patch.cause) }),
    ...(patch.outcome && row.outcome === null && { outcome: encode(patch.outcome) }),
    ...('problem' in patch && { problem: plain(patch.problem) }),
    ...('sync' in patch && { sync: encode(patch.sync) }),
    ...(patch.seals && { seals: JSON.stringify(patch.seals) }),
    ...('startedAt' in patch && { started_at: patch.startedAt ?? null }),
    ...('endedAt' in patch && { ended_at: patch.endedAt ?? null }),
    ...('closedAt' in patch && { closed_at: patch.closedAt ?? null }),
  };
}

/** What an event tells of the change: never the job's handle, which is for its provider only. */
export function runFacts(patch: RunPatch, changes: Partial<RunRow>): object {
  return {
    ...('lease' in changes && { lease: changes.lease }),
    ...('cause' in changes && { cause: patch.cause }),
    ...('outcome' in changes && { outcome: patch.outcome }),
    ...('problem' in changes && { problem: changes.problem }),
    ...(patch.sync && { sync: { ...patch.sync, conflicts: patch.sync.conflicts.length } }),
  };
}
