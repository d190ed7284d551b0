import type { Engine } from '../engine/types.ts';
import type { LogSeal } from '../model/run.ts';
import type { Watch } from './watch.ts';

/** Fixes where every earlier watcher's log ends, before we write one: what a fenced writer adds later does not count. */
export async function sealEarlierLogs(engine: Engine, watch: Watch): Promise<void> {
  const sealed = new Set(watch.run.seals.map((seal) => seal.epoch));
  const seals: LogSeal[] = [...watch.run.seals];
  for (let epoch = 1; epoch < watch.epoch; epoch++) {
    if (!sealed.has(epoch)) seals.push(await engine.logs.tail(watch.id, epoch));
  }
  if (seals.length === watch.run.seals.length) return;
  watch.run = await engine.store.noteRun(watch.id, watch.epoch, { seals }, engine.ports.clock.now());
}
