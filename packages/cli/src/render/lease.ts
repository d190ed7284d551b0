import type { Lease, LeasePolicy } from '@errand/core';
import type { Style } from './style.ts';
import { table } from './table.ts';
import { visible } from './text.ts';
import { iso, relative } from './time.ts';

/** How the lease came about: `standing` was acquired by hand, `warm` waits for its first run. */
export function leasePolicy(lease: Lease): LeasePolicy | 'standing' | 'warm' {
  if (lease.spec.warm && lease.reuseKey !== undefined && !lease.used) return 'warm';
  return lease.holder && !lease.spec.warm ? 'standing' : (lease.spec.setup?.policy ?? 'fresh');
}

/** A place that was made ahead and that nobody has used. */
export function isReady(lease: Lease): boolean {
  return lease.status === 'idle' && leasePolicy(lease) === 'warm';
}

export function outdatedText(lease: Lease, because: string): string {
  const stays = `it stays until ${iso(lease.expiresAt)} and no new run takes it by itself`;
  return `lease ${lease.id}: ${visible(because)}; ${stays}; release it with: errand lease release ${lease.id}`;
}

export function leaseTable(leases: readonly Lease[], style: Style, now: number, width?: number): string[] {
  const head = ['LEASE', 'STATUS', 'POLICY', 'ENVIRONMENT', 'EXPIRES', 'RUN', 'PROBLEM'].map((text) => ({
    text,
    paint: style.bold,
  }));
  const rows = leases.map((lease) => [
    { text: lease.id },
    { text: isReady(lease) ? 'ready' : lease.status },
    { text: leasePolicy(lease) },
    { text: visible(lease.spec.environment) },
    { text: lease.endedAt === undefined ? relative(lease.expiresAt, now) : '-', paint: style.dim },
    { text: lease.run ?? '-' },
    { text: visible(lease.problem ?? ''), paint: style.yellow },
  ]);
  return table(head, rows, width);
}
