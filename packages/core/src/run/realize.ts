import type { TreeEntry } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Lease } from '../model/lease.ts';
import { retrying } from '../providers/retry.ts';
import { listWorkspace } from '../workspace/list.ts';
import { noting, writeBaseline } from '../workspace/sync/baseline.ts';
import { syncDirectory } from '../workspace/sync/layout.ts';
import type { Version } from '../workspace/sync/version.ts';
import type { Watch } from './watch.ts';

/** Files in, or none at all into a place that others have used. Done again from the start after a crash: a half-filled workspace is never run in. */
export async function realizeWorkspace(engine: Engine, watch: Watch, lease: Lease): Promise<void> {
  if (watch.run.status === 'leasing') {
    watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'realize', {}, engine.ports.clock.now());
  }
  const { workspace } = watch.run.spec;
  if (watch.run.status !== 'realizing' || !lease.place) return;
  // What an earlier run left in a place of its own choosing is the point of a standing lease; here it would be a leak.
  const leftovers = lease.used && watch.run.spec.lease === undefined;
  if (workspace === undefined && !leftovers) return;
  const { place } = lease;
  const { host } = await engine.providers.open(lease.spec.provider, lease.spec.options);
  const signal = AbortSignal.any([watch.signal, watch.ending]);
  await retrying(engine.ports, { attempts: 5, first: 500, most: 5_000 }, signal, async () => {
    const files =
      workspace === undefined ? noFiles() : listWorkspace(workspace, { signal, exclude: engine.exclude, warn: engine.log });
    const sent = new Map<string, Version>();
    const call = { key: watch.id, epoch: lease.epoch, signal, log: engine.log };
    await host?.realize(place, watch.run.spec.syncBack ? noting(files, sent) : files, call);
    if (watch.run.spec.syncBack) await writeBaseline(syncDirectory(engine.home, watch.id), watch.epoch, sent);
  });
}

async function* noFiles(): AsyncGenerator<TreeEntry> {}
