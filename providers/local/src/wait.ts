import { existsSync } from 'node:fs';
import type { Ask, JobExit, Ref } from '@errand/contract';
import { createBell } from './bell.ts';
import { followEnd } from './ending.ts';
import { locate } from './job.ts';
import { recordFile } from './record.ts';
import { cancelledFile, nameOf } from './layout.ts';
import type { Supervisor } from './supervise.ts';

/** The signal ends the waiting, never the job. */
export async function wait(home: string, supervisor: Supervisor, ref: Ref<'job'>, ask: Ask): Promise<JobExit> {
  const job = locate(home, ref);
  if (!job) return unknownJob(home, ref.key);
  const ending = followEnd(supervisor, job);
  using bell = createBell(ending.word ? [] : [recordFile(job)], ending.word);
  for (;;) {
    ask.signal.throwIfAborted();
    const exit = ending.look();
    if (exit) return exit;
    await bell.wait(ending.word ? 1_000 : 100, ask.signal);
  }
}

function unknownJob(home: string, key: string): JobExit {
  if (existsSync(cancelledFile(home, nameOf(key)))) return { kind: 'signalled', signal: 'SIGTERM' };
  return { kind: 'lost', evidence: `there is no job ${key}: it was never started, or its place was released` };
}
