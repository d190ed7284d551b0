import type { JobEnd, Stream } from '@errand/contract';
import { provisionLog } from '@errand/core';
import type { Lease, LogStore, LogView, Reads, Run, StoredEvent } from '@errand/core';
import type { FakeCloud } from '../fake/cloud.ts';
import type { JournalEntry } from '../fake/state.ts';

/** A job as the far side knows it. Its key is the run's id. */
export interface WorldJob {
  readonly key: string;
  readonly starts: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Undefined while it is alive. */
  readonly end: JobEnd | undefined;
  readonly placeId: string | undefined;
  readonly output: Readonly<Record<Stream, string>>;
}

/** A place as the far side knows it. Its key is the lease's id. */
export interface WorldPlace {
  readonly id: string;
  readonly key: string;
  readonly alive: boolean;
  /** It went without anybody asking for it. */
  readonly diedAlone: boolean;
  readonly goneAt: number | undefined;
}

/** Both sides of a finished story: what is written, and what really happened. */
export interface World {
  readonly runs: readonly Run[];
  readonly leases: readonly Lease[];
  readonly events: readonly StoredEvent[];
  readonly captured: ReadonlyMap<string, Readonly<Record<Stream, string>>>;
  readonly places: readonly WorldPlace[];
  readonly jobs: readonly WorldJob[];
  readonly journal: readonly JournalEntry[];
}

export async function observe(store: Reads, logs: LogStore, cloud: FakeCloud): Promise<World> {
  const runs = await store.runs({});
  const leases = await store.leases({});
  return {
    runs,
    leases,
    events: await store.events({}),
    captured: new Map([
      ...(await Promise.all(runs.map(async (run) => [run.id, await capturedOutput(logs, run)] as const))),
      ...(await Promise.all(
        leases.map(async (lease) => [lease.id, await readAll(logs, lease.id, provisionLog(lease))] as const),
      )),
    ]),
    places: cloud.places().map((place) => ({
      id: place.id,
      key: place.key,
      alive: place.goneAt === undefined,
      diedAlone: place.goneBy === 'death' || place.goneBy === 'expiry',
      goneAt: place.goneAt,
    })),
    jobs: cloud.jobs().flatMap((job) => worldJob(cloud, job.key)),
    journal: cloud.journal(),
  };
}

function worldJob(cloud: FakeCloud, key: string): WorldJob[] {
  const truth = cloud.truth(key);
  if (!truth) return [];
  const { startedAt, endedAt, end, stdout, stderr, place } = truth;
  return [{ key, starts: cloud.starts(key), startedAt, endedAt, end, placeId: place?.id, output: { stdout, stderr } }];
}

export async function capturedOutput(logs: LogStore, run: Run): Promise<Record<Stream, string>> {
  return readAll(logs, run.id, { seals: run.seals, epoch: run.epoch, complete: run.status === 'closed' });
}

async function readAll(logs: LogStore, id: string, view: LogView): Promise<Record<Stream, string>> {
  const parts: Record<Stream, Uint8Array[]> = { stdout: [], stderr: [] };
  for await (const entry of logs.read(id, view, undefined)) parts[entry.stream].push(entry.bytes);
  return { stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString() };
}
