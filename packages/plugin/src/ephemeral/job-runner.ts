// `provider-ephemeral`: the Runner of the public contract as a runner of ours.
import type { Runner } from '@errand/contract';
import { IaCProviderJobCanceler } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import type { Link } from '../wire/link.ts';
import { createBells } from './bells.ts';
import { followLogs } from './logs.ts';
import { usualPatience } from './parts.ts';
import type { JobParts, Patience } from './parts.ts';
import { readingEach } from '../wire/replies.ts';
import { startJob } from './start.ts';
import { stopJob } from './stop.ts';
import { waitForEnd } from './wait.ts';

/** `services` are the full names of what the plugin serves; `IaCProviderRunner` must be among them. */
export function jobRunner(link: Link, services: ReadonlySet<string>, patience: Partial<Patience> = {}): Runner {
  const parts: JobParts = {
    link,
    canCancel: services.has(IaCProviderJobCanceler.typeName),
    patience: { ...usualPatience, ...patience },
    bells: createBells(),
    attempted: new Set(),
  };
  return {
    start: (spec, call) => startJob(parts, spec, call),
    wait: (job, ask) => waitForEnd(parts, job, ask),
    logs: (job, after, ask) => readingEach(link, 'give the output', followLogs(parts, job, after, ask)),
    stop: (job, _how, call) => stopJob(parts, job, call),
    // The contract has no way to list jobs.
    find: async function* () {},
  };
}
