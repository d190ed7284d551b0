// What `--json` prints of a run or a lease. Names here are a promise to scripts; the rows of the store may change.
import type { Lease, Run, StoredEvent } from '@errand/core';
import { isReady, leasePolicy } from './lease.ts';
import { iso } from './time.ts';

export function runDocument(run: Run) {
  return {
    id: run.id,
    status: run.status,
    outcome: run.outcome,
    problem: run.problem,
    sync: run.sync,
    environment: run.spec.environment,
    provider: run.spec.provider,
    command: run.spec.command,
    labels: run.spec.labels,
    idempotencyKey: run.key,
    lease: run.lease,
    cancel: run.cancel,
    createdAt: iso(run.createdAt),
    startedAt: time(run.startedAt),
    endedAt: time(run.endedAt),
    closedAt: time(run.closedAt),
  };
}

export function leaseDocument(lease: Lease, outdated?: string) {
  return {
    id: lease.id,
    status: lease.status,
    policy: leasePolicy(lease),
    ready: isReady(lease),
    environment: lease.spec.environment,
    provider: lease.spec.provider,
    labels: lease.spec.labels,
    run: lease.run,
    problem: lease.problem,
    outdated,
    expiresAt: iso(lease.expiresAt),
    createdAt: iso(lease.createdAt),
    endedAt: time(lease.endedAt),
  };
}

export function eventDocument(event: StoredEvent) {
  return { seq: event.seq, at: iso(event.at), subject: event.subject, id: event.id, type: event.type, data: event.data };
}

function time(at: number | undefined): string | undefined {
  return at === undefined ? undefined : iso(at);
}
