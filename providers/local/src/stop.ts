import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, Ref } from '@errand/contract';
import { createBell } from './bell.ts';
import { createOnce, fileError, writeRecordOnce } from './files.ts';
import { locate, markedJob, nobody, observe } from './job.ts';
import type { LocatedJob } from './job.ts';
import { cancelledFile, nameOf } from './layout.ts';
import { signalMembers } from './members.ts';
import { passFence, readPlace } from './place.ts';

/** After this long nobody can still mean to start the job. */
const markLifetime = 24 * 3_600_000;
const forceRounds = 25;

/** Works from any process: it needs the job's files and the process table only. May be repeated. */
export async function stop(home: string, ref: Ref<'job'>, how: 'ask' | 'force', call: Call): Promise<void> {
  const job = locate(home, ref);
  if (!job || !existsSync(job.dir)) return leaveMark(home, ref.key);
  const place = readPlace(job.placeDir);
  if (!place) return;
  passFence(job.placeDir, place, call.epoch);
  if (takeClaim(job, how)) return;
  await signalJob(home, job, how, call.signal);
}

/** Nobody has begun to start it: with the claim in our hand nobody ever will, and its end is known. */
function takeClaim(job: LocatedJob, how: 'ask' | 'force'): boolean {
  const claim = join(job.dir, 'claim');
  if (existsSync(claim) || !createOnce(claim, JSON.stringify(nobody))) return false;
  writeRecordOnce(join(job.dir, 'exit.json'), { kind: 'signalled', signal: how === 'ask' ? 'SIGTERM' : 'SIGKILL' });
  return true;
}

export async function signalJob(home: string, job: LocatedJob, how: 'ask' | 'force', signal: AbortSignal): Promise<void> {
  using bell = createBell(job.dir);
  for (;;) {
    signal.throwIfAborted();
    const seen = observe(home, job, { settleUnclaimed: false });
    if (seen.kind === 'ended' || seen.phase === 'asked' || seen.phase === 'unclaimed') return;
    if (seen.phase !== 'claimed') break;
    // It is being started this very moment; its processes are there in a moment.
    await bell.wait(20, signal);
  }
  const marked = markedJob(home, job);
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
