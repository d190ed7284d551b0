import type { Runner } from '@errand/contract';
import { find } from './find.ts';
import { logs } from './logs.ts';
import { start } from './start.ts';
import { stop } from './stop.ts';
import type { Supervisor } from './supervise.ts';
import { wait } from './wait.ts';

/** `hide` is what a sandboxed job may not see. */
export function createRunner(home: string, supervisor: Supervisor, hide: string): Runner {
  return {
    start: (spec, call) => start({ home, supervisor, hide }, spec, call),
    wait: (job, ask) => wait(home, supervisor, job, ask),
    logs: (job, after, ask) => logs(home, supervisor, job, after, ask),
    stop: (job, how, call) => stop(home, job, how, call),
    find: (owner, ask) => find(home, owner, ask),
  };
}
