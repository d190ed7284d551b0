import { join } from 'node:path';
import type { Ref } from '@errand/contract';
import type { Hosts } from './hosts.ts';
import { jobState, nameOf } from './layout.ts';
import type { JobState } from './layout.ts';
import { asking, trying } from './remote.ts';
import type { Remote } from './remote.ts';

export interface LocatedJob extends JobState {
  readonly remote: Remote;
}

/** On this machine: somebody stopped a job of which no known machine had heard. */
export const cancelledFile = (home: string, name: string) => join(home, 'cancelled', name);

/** By its handle, or on every known machine. Undefined when none has it; throws when one of them cannot be asked. */
export async function locate(hosts: Hosts, ref: Ref<'job'>, signal: AbortSignal): Promise<LocatedJob | undefined> {
  const state = jobState(ref.handle);
  if (state) return { ...state, remote: hosts.at(state.options).remote };
  const job = nameOf(ref.key);
  for (const { options, remote } of hosts.known()) {
    const answer = await trying(`tried to look for the job ${ref.key}`, () => asking(remote, 'locate', [job], signal));
    const [owner, place] = answer.trim().split(/\s+/);
    if (owner !== undefined && place !== undefined && place !== '') return { options, owner, place, job, remote };
  }
  return undefined;
}
