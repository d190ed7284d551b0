// A lease as a row. Columns that hold a structure hold it as JSON text; absent is NULL.
import type { Handle } from '@errand/contract';
import type { Lease, LeasePatch, LeaseSpec, Provisioning } from '../model/lease.ts';
import type { LeaseStatus } from '../model/lease-status.ts';
import type { Holder } from '../ports.ts';
import type { Row } from './database.ts';
import { decode, encode, plain } from './statement.ts';

export interface LeaseRow extends Row {
  readonly id: string;
  readonly spec: string;
  readonly status: LeaseStatus;
  readonly epoch: number;
  readonly run: string | null;
  readonly holder: string | null;
  readonly place: string | null;
  readonly reuse_key: string | null;
  readonly used: number;
  readonly provisioning: string | null;
  readonly expires_at: number;
  readonly attempts: number;
  readonly retry_at: number;
  readonly problem: string | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

export function leaseOf(row: LeaseRow): Lease {
  return {
    id: row.id,
    spec: decode(row.spec) as LeaseSpec,
    status: row.status,
    epoch: row.epoch,
    run: row.run ?? undefined,
    holder: decode(row.holder) as Holder | undefined,
    place: decode(row.place) as Handle<'place'> | undefined,
    reuseKey: row.reuse_key ?? undefined,
    used: row.used === 1,
    provisioning: decode(row.provisioning) as Provisioning | undefined,
    expiresAt: row.expires_at,
    attempts: row.attempts,
    retryAt: row.retry_at,
    problem: row.problem ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  };
}

/** The columns that a patch writes. A key that is there with `undefined` clears; a renewal never shortens. */
export function leaseChanges(row: LeaseRow, patch: LeasePatch): Partial<LeaseRow> {
  return {
    ...('run' in patch && { run: patch.run ?? null }),
    ...('place' in patch && { place: encode(patch.place) }),
    ...('provisioning' in patch && { provisioning: encode(patch.provisioning) }),
    ...(patch.expiresAt !== undefined && patch.expiresAt > row.expires_at && { expires_at: patch.expiresAt }),
    ...(patch.attempts !== undefined && { attempts: patch.attempts }),
    ...(patch.retryAt !== undefined && { retry_at: patch.retryAt }),
    ...('problem' in patch && { problem: plain(patch.problem) }),
    ...('endedAt' in patch && { ended_at: patch.endedAt ?? null }),
  };
}

/** What an event tells of the change: never the place's handle, which is for its provider only. */
export function leaseFacts(changes: Partial<LeaseRow>): object {
  return {
    ...('run' in changes && { run: changes.run }),
    ...('expires_at' in changes && { expiresAt: changes.expires_at }),
    ...('attempts' in changes && { attempts: changes.attempts }),
    ...('retry_at' in changes && { retryAt: changes.retry_at }),
    ...('problem' in changes && { problem: changes.problem }),
  };
}
