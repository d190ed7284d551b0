import type { Runner } from '@errand/contract';
import type { Engines } from './engines.ts';
import { find } from './find.ts';
import { logs } from './logs.ts';
import { start } from './start.ts';
import { createStarter } from './starter.ts';
import { stop } from './stop.ts';
import { wait } from './wait.ts';

export function createRunner(engines: Engines): Runner {
  const starter = createStarter();
  return {
    start: (spec, call) => start(engines, starter, spec, call),
    wait: (job, ask) => wait(engines, job, ask),
    logs: (job, after, ask) => logs(engines, job, after, ask),
    stop: (job, how, call) => stop(engines, job, how, call),
    find: (owner, ask) => find(engines, owner, ask),
  };
}
