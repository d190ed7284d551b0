import type { Engine } from '../engine/types.ts';
import { formatCursor } from '../logs/cursor.ts';
import type { LogView } from '../logs/port.ts';
import { isProvisioned } from '../lease/policy.ts';
import type { Lease, Provisioning } from '../model/lease.ts';

/** The log of a lease: what provisioning printed, command by command as each ends. Other epochs have written nothing that counts. */
export function provisionLog(lease: Lease): LogView {
  const kept = new Map((lease.provisioning?.seals ?? []).map((seal) => [seal.epoch, seal.bytes]));
  const seals = Array.from({ length: lease.epoch }, (_, index) => ({ epoch: index + 1, bytes: kept.get(index + 1) ?? 0 }));
  const over = lease.status === 'releasing' || lease.status === 'released';
  return { seals, epoch: lease.epoch + 1, complete: over || isProvisioned(lease) };
}

/** Of what the lease's epoch has printed since `before`. */
export async function firstLine(engine: Engine, lease: Lease, before: Provisioning): Promise<string | undefined> {
  const start = before.seals.find((seal) => seal.epoch === lease.epoch)?.bytes ?? 0;
  for await (const entry of engine.logs.read(lease.id, provisionLog(lease), formatCursor(lease.epoch, start))) {
    const text = Buffer.from(entry.bytes).toString().trim();
    if (text !== '') return text.split('\n', 1)[0]?.slice(0, 200);
  }
  return undefined;
}
