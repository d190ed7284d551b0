import type { Engine } from '../engine/types.ts';
import { retrying } from '../providers/retry.ts';
import { deliver } from '../workspace/deliver.ts';
import { keepLease } from './keep-lease.ts';
import type { Watch } from './watch.ts';

/** Files out. Done again after a crash, as long as the place is there; delivering twice gives the same files. */
export async function collectFiles(engine: Engine, watch: Watch): Promise<void> {
  const { spec, outcome, startedAt } = watch.run;
  if (spec.collect.length === 0 || spec.out === undefined || startedAt === undefined || outcome?.kind === 'lost') return;
  const lease = watch.run.lease === undefined ? undefined : await engine.store.lease(watch.run.lease);
  if (!lease?.place || lease.status !== 'active' || lease.run !== watch.id) return;
  const { place } = lease;
  const { out } = spec;
  const { host } = await engine.providers.open(lease.spec.provider, lease.spec.options);
  if (!host) return;
  const { signal } = watch;
  let problem: string | undefined;
  try {
    await using _kept = keepLease(engine, watch, lease);
    // Delivering is done file by file and may be repeated; afterwards the place, and with it the files, is gone.
    const { files } = await retrying(engine.ports, { attempts: 4, first: 500, most: 5_000 }, signal, () =>
      deliver(host.collect(place, spec.collect, { signal, log: engine.log }), out, { signal, key: watch.id }),
    );
    if (files === 0) problem = `nothing in the workspace matched ${spec.collect.join(', ')}`;
  } catch (error) {
    watch.signal.throwIfAborted();
    problem = engine.redact(`could not bring the files back: ${error instanceof Error ? error.message : String(error)}`);
  }
  const patch = problem === undefined ? {} : { problem };
  watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'collected', patch, engine.ports.clock.now());
}
