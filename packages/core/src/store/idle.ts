// Idle leases that are taken by their reuse key, and pools that are filled by it. Each is one statement away from a race,
// so both read under a lock that everybody else who wants the same takes too.
import type { Lease } from '../model/lease.ts';
import type { Transaction, Value } from './database.ts';
import type { LeaseRow } from './lease-row.ts';
import { openLease, takeRow } from './leases.ts';
import type { NewLease, Wanted } from './port.ts';

/** To the letter the condition of the index, or it would not be used. */
const waiting = `status IN ('pending', 'idle')`;

export async function takeIdle(tx: Transaction, wanted: Wanted): Promise<Lease | undefined> {
  for (const key of wanted.keys) {
    const values: Value[] = [key, wanted.lastsUntil];
    const text = `SELECT * FROM leases WHERE ${waiting} AND status = 'idle' AND reuse_key = $1 AND expires_at >= $2
      ORDER BY expires_at DESC, id LIMIT 1${tx.dialect.forUpdateOfAny}`;
    const [row] = (await tx.all(text, values)) as readonly LeaseRow[];
    if (row) return takeRow(tx, row, wanted.run, wanted.now, { reuse_key: wanted.reuseKey ?? null });
  }
  return undefined;
}

export async function openWarm(
  tx: Transaction,
  fresh: NewLease & { readonly reuseKey: string },
  most: number,
): Promise<Lease | undefined> {
  if (tx.dialect.lockName) await tx.all(tx.dialect.lockName, [fresh.reuseKey]);
  const [row] = await tx.all(`SELECT COUNT(*) AS count FROM leases WHERE ${waiting} AND reuse_key = $1`, [fresh.reuseKey]);
  return Number(row?.['count'] ?? 0) < most ? openLease(tx, fresh) : undefined;
}
