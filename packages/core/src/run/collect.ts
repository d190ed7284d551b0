import type { Engine } from '../engine/types.ts';
import { deliver } from '../workspace/deliver.ts';
import type { Watch } from './watch.ts';

/** Files out. Done again after a crash, as long as the place is there; delivering twice gives the same files. */
export async function collectFiles(engine: Engine, watch: Watch): Promise<void> {
  const { spec, outcome, startedAt } = watch.run;
  if (spec.collect.length === 0 || spec.out === undefined || startedAt === undefined || outcome?.kind === 'lost') return;
  const lease = watch.run.lease === undefined ? undefined : await engine.store.lease(watch.run.lease);
  if (!lease?.place || lease.status !== 'active' || lease.run !== watch.id) return;
  const { host } = await engine.providers.open(lease.spec.provider, lease.spec.options);
  if (!host) return;
  const ask = { signal: watch.signal, log: engine.log };
  let problem: string | undefined;
  try {
    const { files } = await deliver(host.collect(lease.place, spec.collect, ask), spec.out, {
      signal: watch.signal,
      key: watch.id,
    });
    if (files === 0) problem = `nothing in the workspace matched ${spec.collect.join(', ')}`;
  } catch (error) {
    watch.signal.throwIfAborted();
    problem = engine.redact(`could not bring the files back: ${error instanceof Error ? error.message : String(error)}`);
  }
  const patch = problem === undefined ? {} : { problem };
  watch.run = await engine.store.advanceRun(watch.id, watch.epoch, 'collected', patch, engine.ports.clock.now());
}
