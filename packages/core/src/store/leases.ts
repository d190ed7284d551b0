// The only writer of leases. Every change reads its row under a lock, checks the epoch, and writes by compare-and-swap
// together with its event.
import { ErrandError } from '@errand/contract';
import { nextLeaseStatus } from '../model/lease-status.ts';
import type { LeaseEvent } from '../model/lease-status.ts';
import type { Lease, LeasePatch } from '../model/lease.ts';
import type { Transaction } from './database.ts';
import { record } from './events.ts';
import { leaseChanges, leaseFacts, leaseOf } from './lease-row.ts';
import type { LeaseRow } from './lease-row.ts';
import type { NewLease } from './port.ts';
import { encode, insert, swap } from './statement.ts';

export async function openLease(tx: Transaction, fresh: NewLease): Promise<Lease> {
  const row: LeaseRow = {
    id: fresh.id,
    spec: JSON.stringify(fresh.spec),
    status: 'pending',
    epoch: 1,
    run: fresh.run ?? null,
    holder: encode(fresh.holder),
    place: null,
    reuse_key: fresh.reuseKey ?? null,
    used: 0,
    provisioning: null,
    expires_at: fresh.expiresAt,
    attempts: 0,
    retry_at: 0,
    problem: null,
    created_at: fresh.now,
    ended_at: null,
  };
  if (!(await insert(tx, 'leases', row))) {
    throw new ErrandError('internal/bug', `could not record lease ${fresh.id}: there is one of that name already`);
  }
  const { environment, provider } = fresh.spec;
  await record(tx, 'lease', row.id, 'opened', fresh.now, { environment, provider, run: row.run, expiresAt: row.expires_at });
  return leaseOf(row);
}

export async function advanceLease(
  tx: Transaction,
  id: string,
  epoch: number,
  event: LeaseEvent,
  patch: LeasePatch,
  now: number,
): Promise<Lease> {
  const row = await lock(tx, id);
  if (row.epoch !== epoch) throw fenced(id, epoch, row.epoch);
  return move(tx, row, event, patch, now);
}

/** For the run that has it already this changes nothing, so a watcher that died right after it may repeat it. */
export async function takeLease(tx: Transaction, id: string, run: string, now: number): Promise<Lease> {
  const row = await lock(tx, id);
  if (row.status === 'releasing' || row.status === 'released') throw ended(id, `is ${row.status}`);
  if (row.expires_at <= now) throw ended(id, 'has expired');
  if (row.status === 'active' && row.run === run) return leaseOf(row);
  if (row.status !== 'idle') throw taken(row);
  return takeRow(tx, row, run, now);
}

/** For a row that the caller has locked and found idle. */
export function takeRow(tx: Transaction, row: LeaseRow, run: string, now: number, more: Partial<LeaseRow> = {}): Promise<Lease> {
  return move(tx, row, 'take', { run }, now, more);
}

/** A new watcher of the run is a new holder of what the run holds. */
export async function raiseLeases(tx: Transaction, run: string, now: number): Promise<void> {
  const open = `run = $1 AND status <> 'released'`;
  const rows = await tx.all(`SELECT * FROM leases WHERE ${open} ORDER BY id${tx.dialect.forUpdate}`, [run]);
  for (const row of rows as readonly LeaseRow[]) {
    const after = await write(tx, row, { epoch: row.epoch + 1 });
    await record(tx, 'lease', row.id, 'claimed', now, { epoch: after.epoch, run });
  }
}

async function move(
  tx: Transaction,
  row: LeaseRow,
  event: LeaseEvent,
  patch: LeasePatch,
  now: number,
  more: Partial<LeaseRow> = {},
): Promise<Lease> {
  const status = nextLeaseStatus(row.status, event);
  const changes: Partial<LeaseRow> = {
    ...leaseChanges(row, patch),
    ...more,
    ...(event === 'take' && { epoch: row.epoch + 1 }),
    ...(event === 'park' && { run: null, ...(row.run !== null && { used: 1 }) }),
  };
  const after = await write(tx, row, { ...changes, ...(status !== row.status && { status }) });
  await record(tx, 'lease', row.id, event, now, { status, epoch: after.epoch, ...leaseFacts(changes) });
  return leaseOf(after);
}

async function lock(tx: Transaction, id: string): Promise<LeaseRow> {
  const [row] = await tx.all(`SELECT * FROM leases WHERE id = $1${tx.dialect.forUpdate}`, [id]);
  if (row) return row as LeaseRow;
  const next = 'List the leases with `errand leases`.';
  throw new ErrandError('lease/unknown', `there is no lease ${id} in this store`, { next });
}

async function write(tx: Transaction, row: LeaseRow, changes: Partial<LeaseRow>): Promise<LeaseRow> {
  const after = await swap(tx, 'leases', row, changes);
  if (!after) throw fenced(row.id, row.epoch);
  return after;
}

function fenced(id: string, epoch: number, current?: number) {
  const now = current === undefined ? '' : ` (epoch ${current})`;
  return new ErrandError('lease/fenced', `lease ${id} has another holder now${now}; epoch ${epoch} is refused`);
}

function ended(id: string, how: string) {
  const next = 'Acquire a new one with `errand lease acquire`.';
  return new ErrandError('lease/ended', `lease ${id} cannot be used: it ${how}`, { next });
}

function taken(row: LeaseRow) {
  const by = row.run === null ? `it is ${row.status}` : `run ${row.run} has it`;
  const next = 'Wait until it is idle, or acquire another lease.';
  return new ErrandError('lease/held', `lease ${row.id} cannot be taken now: ${by}`, { next });
}
