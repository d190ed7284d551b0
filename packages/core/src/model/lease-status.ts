// A lease's life. Who picks it up if we die there: `lease/sweep.ts`, for every status but the last.
//
//             granted          park             release | expire              confirmed
//   pending ───────────▶ active ───▶ idle ─────────────────────▶ releasing ────────────▶ released
//                           ▲  take   │                            ↺ refused (tried again later)
//                           └─────────┘
//                        active ──release | expire──▶ releasing
//                        pending ──release | expire──▶ releasing: we asked and never heard; released by key
//
// Self-loops record facts without moving: `provisioned` after each command of `provision:`, `renewed` after a renewal.
import { ErrandError } from '@errand/contract';

export const leaseStatuses = {
  pending: { granted: 'active', provisioned: 'pending', release: 'releasing', expire: 'releasing' },
  active: { renewed: 'active', provisioned: 'active', park: 'idle', release: 'releasing', expire: 'releasing' },
  idle: { renewed: 'idle', take: 'active', release: 'releasing', expire: 'releasing' },
  releasing: { refused: 'releasing', confirmed: 'released' },
  released: {},
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type LeaseStatus = keyof typeof leaseStatuses;
export type LeaseEvent = 'granted' | 'provisioned' | 'renewed' | 'park' | 'take' | 'release' | 'expire' | 'refused' | 'confirmed';

export function nextLeaseStatus(status: LeaseStatus, event: LeaseEvent): LeaseStatus {
  const to = (leaseStatuses[status] as Readonly<Partial<Record<LeaseEvent, LeaseStatus>>>)[event];
  if (to) return to;
  throw new ErrandError('lease/wrong-status', `a lease that is ${status} cannot take the event '${event}'`);
}
