import type { Runner } from '@errand/contract';
import { find } from './find.ts';
import type { Hosts } from './hosts.ts';
import { logs } from './logs.ts';
import { start } from './start.ts';
import { stop } from './stop.ts';
import { wait } from './wait.ts';

export function createRunner(hosts: Hosts): Runner {
  return {
    start: (spec, call) => start(hosts, spec, call),
    wait: (job, ask) => wait(hosts, job, ask),
    logs: (job, after, ask) => logs(hosts, job, after, ask),
    stop: (job, how, call) => stop(hosts, job, how, call),
    find: (owner, ask) => find(hosts, owner, ask),
  };
}
