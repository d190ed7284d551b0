// The only writer of runs. Every change reads its row under a lock, checks the epoch, and writes by compare-and-swap
// together with its event.
import { ErrandError } from '@errand/contract';
import { nextRunStatus } from '../model/run-status.ts';
import type { RunEvent } from '../model/run-status.ts';
import type { Run, RunPatch } from '../model/run.ts';
import type { Holder } from '../ports.ts';
import type { Transaction } from './database.ts';
import { record } from './events.ts';
import { raiseLeases } from './leases.ts';
import type { NewRun } from './port.ts';
import { runChanges, runFacts, runOf } from './run-row.ts';
import type { RunRow } from './run-row.ts';
import { insert, swap } from './statement.ts';

export async function openRun(tx: Transaction, fresh: NewRun): Promise<{ readonly run: Run; readonly created: boolean }> {
  const row: RunRow = {
    id: fresh.id,
    key: fresh.key ?? null,
    digest: fresh.digest,
    spec: JSON.stringify(fresh.spec),
    status: 'queued',
    epoch: fresh.holder ? 1 : 0,
    holder: fresh.holder ? JSON.stringify(fresh.holder) : null,
    held_until: fresh.heldUntil ?? 0,
    lease: null,
    job: null,
    cancel: null,
    cause: null,
    outcome: null,
    problem: null,
    sync: null,
    seals: '[]',
    created_at: fresh.now,
    started_at: null,
    ended_at: null,
    closed_at: null,
  };
  if (!(await insert(tx, 'runs', row))) return { run: runOf(await existing(tx, fresh)), created: false };
  for (const [name, value] of Object.entries(fresh.spec.labels)) await insert(tx, 'run_labels', { run: row.id, name, value });
  const { environment, provider } = fresh.spec;
  await record(tx, 'run', row.id, 'opened', fresh.now, { environment, provider, epoch: row.epoch });
  return { run: runOf(row), created: true };
}

/** The run that was in the way: the same key, or the same id when a caller repeats itself after a lost reply. */
async function existing(tx: Transaction, fresh: NewRun): Promise<RunRow> {
  const [row] = await tx.all('SELECT * FROM runs WHERE id = $1 OR key = $2', [fresh.id, fresh.key ?? null]);
  if (!row) throw new ErrandError('internal/bug', `could not record run ${fresh.id}: the store neither took it nor has it`);
  return row as RunRow;
}

export async function claimRun(
  tx: Transaction,
  id: string,
  seenEpoch: number,
  holder: Holder,
  heldUntil: number,
  now: number,
): Promise<Run | undefined> {
  const row = await lock(tx, id);
  if (!row || row.epoch !== seenEpoch || row.status === 'closed') return undefined;
  const epoch = row.epoch + 1;
  const after = await swap(tx, 'runs', row, { epoch, holder: JSON.stringify(holder), held_until: heldUntil });
  if (!after) return undefined;
  await raiseLeases(tx, id, now);
  await record(tx, 'run', id, 'claimed', now, { epoch, machine: holder.machine, pid: holder.pid });
  return runOf(after);
}

export async function beatRun(tx: Transaction, id: string, epoch: number, heldUntil: number): Promise<Run> {
  const row = await held(tx, id, epoch);
  return runOf(await write(tx, row, heldUntil > row.held_until ? { held_until: heldUntil } : {}));
}

export async function letGoRun(tx: Transaction, id: string, epoch: number): Promise<void> {
  const row = await lock(tx, id);
  if (row && row.epoch === epoch && row.holder !== null) await write(tx, row, { holder: null, held_until: 0 });
}

export async function advanceRun(
  tx: Transaction,
  id: string,
  epoch: number,
  event: RunEvent,
  patch: RunPatch,
  now: number,
): Promise<Run> {
  const row = await held(tx, id, epoch);
  const status = nextRunStatus(row.status, event);
  const changes = runChanges(row, patch);
  const after = await write(tx, row, { ...changes, ...(status !== row.status && { status }) });
  await record(tx, 'run', id, event, now, { status, epoch, ...runFacts(patch, changes) });
  return runOf(after);
}

export async function noteRun(tx: Transaction, id: string, epoch: number, patch: RunPatch, now: number): Promise<Run> {
  const row = await held(tx, id, epoch);
  const changes = runChanges(row, patch);
  const after = await write(tx, row, changes);
  await record(tx, 'run', id, 'noted', now, { epoch, ...runFacts(patch, changes) });
  return runOf(after);
}

export async function cancelRun(tx: Transaction, id: string, how: 'ask' | 'force', now: number): Promise<Run | undefined> {
  const row = await lock(tx, id);
  if (!row) throw unknown(id);
  if (row.status === 'closing' || row.status === 'closed') return undefined;
  if (row.cancel === how || row.cancel === 'force') return runOf(row);
  const after = await write(tx, row, { cancel: how });
  await record(tx, 'run', id, 'cancel', now, { how });
  return runOf(after);
}

async function lock(tx: Transaction, id: string): Promise<RunRow | undefined> {
  const [row] = await tx.all(`SELECT * FROM runs WHERE id = $1${tx.dialect.forUpdate}`, [id]);
  return row as RunRow | undefined;
}

async function held(tx: Transaction, id: string, epoch: number): Promise<RunRow> {
  const row = await lock(tx, id);
  if (!row) throw unknown(id);
  if (row.epoch !== epoch) throw fenced(id, epoch, row.epoch);
  return row;
}

async function write(tx: Transaction, row: RunRow, changes: Partial<RunRow>): Promise<RunRow> {
  const after = await swap(tx, 'runs', row, changes);
  if (!after) throw fenced(row.id, row.epoch);
  return after;
}

function unknown(id: string) {
  return new ErrandError('run/unknown', `there is no run ${id} in this store`, { next: 'List the runs with `errand runs`.' });
}

function fenced(id: string, epoch: number, current?: number) {
  const now = current === undefined ? '' : ` (epoch ${current})`;
  return new ErrandError('run/fenced', `run ${id} is watched by somebody else now${now}; epoch ${epoch} is refused`);
}
