import type { JobExit } from '@errand/contract';
import type { LocatedJob } from './job.ts';
import { observe } from './job.ts';
import type { Supervisor } from './supervise.ts';

/** Learns of a job's end: from our own supervisor when it has the job, else from the files. */
export interface Ending {
  /** Settles when the supervisor has said its last word; undefined when it is not ours to listen to. */
  readonly word: Promise<void> | undefined;
  /** The exit, once there is one. */
  look(): JobExit | undefined;
}

/** A hint may get lost, so the files are looked at in any case, only less often. */
const distrust = 1_000;

export function followEnd(supervisor: Supervisor, job: LocatedJob): Ending {
  let heard: JobExit | undefined;
  let lookAt = 0;
  const listen = async (hint: Promise<JobExit | undefined>) => {
    heard = await hint;
    if (heard === undefined) lookAt = 0;
  };
  const hint = supervisor.exit(job.base);
  const word = hint && listen(hint);
  const pause = word ? distrust : 0;
  if (word) lookAt = Date.now() + pause;
  return {
    word,
    look() {
      if (heard || Date.now() < lookAt) return heard;
      lookAt = Date.now() + pause;
      const seen = observe(job);
      return seen.kind === 'ended' ? seen.exit : undefined;
    },
  };
}
