import { ErrandError } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { LogStore, LogView } from '../logs/port.ts';
import type { Clock } from '../ports.ts';
import { provisionLog } from '../run/provision-log.ts';

/** What a log's follower needs to know of the run or lease, and when to look again. */
export function logViewOf(
  engine: Engine,
  id: string,
): {
  readonly logs: LogStore;
  readonly clock: Clock;
  readonly view: () => Promise<LogView>;
  readonly wake: (listener: () => void) => Disposable;
} {
  return {
    logs: engine.logs,
    clock: engine.ports.clock,
    wake: (listener) => engine.store.watch(listener),
    async view() {
      const run = await engine.store.run(id);
      const lease = run ? undefined : await engine.store.lease(id);
      if (lease) return provisionLog(lease);
      if (!run) throw new ErrandError('run/unknown', `there is no run ${id}`);
      // The outcome is written after the last byte.
      return { seals: run.seals, epoch: run.epoch, complete: run.outcome !== undefined };
    },
  };
}
