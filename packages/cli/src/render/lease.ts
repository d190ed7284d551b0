import type { Lease } from '@errand/core';
import type { Style } from './style.ts';
import { table } from './table.ts';
import { visible } from './text.ts';
import { relative } from './time.ts';

export function leaseTable(leases: readonly Lease[], style: Style, now: number, width?: number): string[] {
  const head = ['LEASE', 'STATUS', 'ENVIRONMENT', 'EXPIRES', 'RUN', 'PROBLEM'].map((text) => ({ text, paint: style.bold }));
  const rows = leases.map((lease) => [
    { text: lease.id },
    { text: lease.status },
    { text: visible(lease.spec.environment) },
    { text: lease.endedAt === undefined ? relative(lease.expiresAt, now) : '-', paint: style.dim },
    { text: lease.run ?? '-' },
    { text: visible(lease.problem ?? ''), paint: style.yellow },
  ]);
  return table(head, rows, width);
}
