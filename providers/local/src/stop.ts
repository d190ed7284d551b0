import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, Ref } from '@errand/contract';
import { createBell } from './bell.ts';
import { createOnce, fileError } from './files.ts';
import { locate, markedJob, observe, takeClaim } from './job.ts';
import type { LocatedJob } from './job.ts';
import { cancelledFile, nameOf } from './layout.ts';
import { signalMembers } from './members.ts';
import { passFence, readPlace } from './place.ts';
import { recordFile } from './record.ts';

/** After this long nobody can still mean to start the job. */
const markLifetime = 24 * 3_600_000;
const forceRounds = 25;

/** Works from any process: it needs the job's record and the process table only. May be repeated. */
export async function stop(home: string, ref: Ref<'job'>, how: 'ask' | 'force', call: Call): Promise<void> {
  const job = locate(home, ref);
  if (!job) return leaveMark(home, ref.key);
  const place = readPlace(job.placeDir);
  if (!place) return;
  passFence(job.placeDir, place, call.epoch);
  // Nobody has begun to start it: then nobody ever will, and its end is known.
  if (takeClaim(job, { kind: 'signalled', signal: how === 'ask' ? 'SIGTERM' : 'SIGKILL' })) return;
  await signalJob(job, how, call.signal);
}

export async function signalJob(job: LocatedJob, how: 'ask' | 'force', signal: AbortSignal): Promise<void> {
  using bell = createBell([recordFile(job)]);
  for (;;) {
    signal.throwIfAborted();
    const seen = observe(job, { settleUnclaimed: false });
    if (seen.kind === 'ended' || seen.phase === 'asked' || seen.phase === 'unclaimed') return;
    if (seen.phase !== 'claimed') break;
    // It is being started this very moment; its processes are there in a moment.
    await bell.wait(20, signal);
  }
  const marked = markedJob(job);
  // One that left its group between the look and the blow is caught by the next look. Who still stands after that
  // cannot be killed now; `wait` goes on saying so.
  for (let round = 0; round < forceRounds; round++) {
    if (signalMembers(marked, how) === 0 || how === 'ask') return;
    signal.throwIfAborted();
    await bell.wait(20, signal);
  }
}

function leaveMark(home: string, key: string): void {
  const file = cancelledFile(home, nameOf(key));
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createOnce(file);
    for (const name of readdirSync(dirname(file))) {
      const other = join(dirname(file), name);
      const age = Date.now() - (statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > markLifetime) rmSync(other, { force: true });
    }
  } catch (error) {
    throw fileError(`tried to note that the job ${key} must not start`, error);
  }
}
