import type { Engine } from '../engine/types.ts';
import { retrying } from '../providers/retry.ts';
import { deliver } from '../workspace/deliver.ts';
import type { Watch } from './watch.ts';

/** Files out. Done again after a crash, as long as the place is there; delivering twice gives the same files. */
export async function collectFiles(engine: Engine, watch: Watch): Promise<void> {
  const { spec, outcome, startedAt } = watch.run;
  if (spec.collect.length === 0 || spec.out === undefined || startedAt === undefined || outcome?.kind === 'lost') return;
  const lease = watch.run.lease === undefined ? undefined : await engine.store.lease(watch.run.lease);
  if (!lease?.place || lease.status !== 'active' || lease.run !== watch.id) return;
  const { spec: leased, place } = lease;
  const { host } = await engine.providers.open(leased.provider, leased.options);
  if (!host) return;
  const { out } = spec;
  const ask = { signal: watch.signal, log: engine.log };
  let problem: string | undefined;
  try {
    const { files } = await retrying(engine.ports, { attempts: 5, first: 500, most: 5_000 }, watch.signal, () =>
      deliver(host.collect(place, spec.collect, ask), out, { signal: watch.signal, key: watch.id }),
    );
    if (files === 0) problem = `nothing in the workspace matched ${spec.collect.join(', ')}`;
  } catch (error) {
    watch.signal.throwIfAborted();
    problem = engine.redact(`could not bring the files back: ${error instanceof Error ? error.message : String(error)}`);
  }
  const patch = problem === undefined ? {} : { problem };
  watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'collected', patch, engine.ports.clock.now());
}
