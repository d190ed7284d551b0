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
      const { seals, epoch, outcome, status } = run;
      // Captured is what a job that was asked for says; the outcome is written after the last byte.
      const silent = status === 'queued' || status === 'leasing' || status === 'realizing';
      return { seals, epoch, complete: outcome !== undefined, silent };
    },
  };
}
