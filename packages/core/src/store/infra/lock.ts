import type { StackLock } from '../../model/infra/journal.ts';
import type { Reader, Transaction } from '../database.ts';
import { insert } from '../statement.ts';
import { fenced } from './commit.ts';
import type { LockView } from './port.ts';
import { stackRow, stateFormat } from './rows.ts';
import type { StackRow } from './rows.ts';

export async function lookAtLock(reader: Reader, stack: string): Promise<LockView> {
  const row = await stackRow(reader, stack);
  return { epoch: row?.epoch ?? 0, lock: row && lockOf(row) };
}

export async function takeLock(
  tx: Transaction,
  seenEpoch: number,
  wanted: Omit<StackLock, 'epoch'>,
  lineage: string,
): Promise<StackLock | undefined> {
  const { stack, heldUntil } = wanted;
  const lock: StackLock = { ...wanted, epoch: seenEpoch + 1 };
  const changes = { epoch: lock.epoch, lock: JSON.stringify(lock), held_until: heldUntil };
  if (seenEpoch === 0) {
    const fresh = { stack, format: stateFormat, lineage, serial: 0, resources: 0, updated_at: wanted.takenAt, ...changes };
    return (await insert(tx, 'infra_stacks', fresh)) ? lock : undefined;
  }
  const text = 'UPDATE infra_stacks SET epoch = $3, lock = $4, held_until = $5 WHERE stack = $1 AND epoch = $2';
  const taken = await tx.run(text, [stack, seenEpoch, ...Object.values(changes)]);
  return taken === 1 ? lock : undefined;
}

export async function beatLock(tx: Transaction, stack: string, epoch: number, heldUntil: number): Promise<void> {
  const text = 'UPDATE infra_stacks SET held_until = $3 WHERE stack = $1 AND epoch = $2 AND lock IS NOT NULL';
  if ((await tx.run(text, [stack, epoch, heldUntil])) === 1) return;
  throw fenced(stack, epoch, (await stackRow(tx, stack))?.epoch);
}

export async function releaseLock(tx: Transaction, stack: string, epoch: number): Promise<void> {
  await tx.run('UPDATE infra_stacks SET lock = NULL, held_until = 0 WHERE stack = $1 AND epoch = $2', [stack, epoch]);
}

export async function breakLock(tx: Transaction, stack: string): Promise<StackLock | undefined> {
  const row = await stackRow(tx, stack, tx.dialect.forUpdate);
  const lock = row && lockOf(row);
  if (!lock) return undefined;
  await tx.run('UPDATE infra_stacks SET lock = NULL, held_until = 0, epoch = $2 WHERE stack = $1', [stack, lock.epoch + 1]);
  return lock;
}

function lockOf(row: StackRow): StackLock | undefined {
  if (row.lock === null) return undefined;
  return { ...(JSON.parse(row.lock) as StackLock), heldUntil: row.held_until };
}
