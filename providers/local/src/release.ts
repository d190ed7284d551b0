// Giving a place back: close the door, end every job by force, move the directory out of sight, remove it. Each stage
// leaves a trace on disk, so a release that died is taken up by the next one, and leftovers by the next inventory.
import { readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Ref } from '@errand/contract';
import { fileError, isAbsent, temporaryName } from './files.ts';
import { namesIn } from './find.ts';
import { located, markedJob, observe } from './job.ts';
import type { LocatedJob } from './job.ts';
import { jobNames, nameOf, placeDir, placesDir, placeState } from './layout.ts';
import { membersOf } from './members.ts';
import { closePlace, passFence, readPlace } from './place.ts';
import { readJobRecord } from './record.ts';
import { removeTree } from './remove.ts';
import { keepSpare } from './spare.ts';
import { signalJob } from './stop.ts';

const removed = '.gone-';
/** How long a living supervisor gets to write the exit of a job that was just killed. */
const patience = 2_000;

export async function release(home: string, ref: Ref<'place'>, call: Call): Promise<void> {
  const name = (ref.handle && placeState(ref.handle)?.place) ?? nameOf(ref.key);
  const dir = placeDir(home, name);
  try {
    const place = readPlace(dir);
    if (!place) {
      for (const leftover of hidden(home, `${removed}${name}.`)) await removeTree(leftover);
      return;
    }
    passFence(dir, place, call.epoch);
    closePlace(dir);
    for (const job of jobNames(namesIn(dir))) await endJob(located(home, name, job), call.signal);
    const away = temporaryName(join(placesDir(home), `${removed}${name}.`));
    renameSync(dir, away);
    if (!keepSpare(home, away)) await removeTree(away);
  } catch (error) {
    // Somebody else released it at the same time.
    if (!isAbsent(error)) throw fileError(`tried to release the place ${ref.key}`, error);
  }
}

async function endJob(job: LocatedJob, signal: AbortSignal): Promise<void> {
  if (readJobRecord(job)?.exit) return;
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    signal.throwIfAborted();
    const seen = observe(job, { settleUnclaimed: false });
    // Closed to new claims, so what is not claimed now will never run.
    if (seen.kind === 'ended' || seen.phase === 'asked' || seen.phase === 'unclaimed') return;
    await signalJob(job, 'force', signal);
    await sleep(pause);
    if (seen.phase === 'claimed' || membersOf(markedJob(job)).length > 0) continue;
    for (const end = Date.now() + patience; Date.now() < end && !readJobRecord(job)?.exit;) await sleep(5);
    return;
  }
}

/** What a killed process was about to make or remove. Drafts count once their maker had ample time to finish. */
export async function removeLeftovers(home: string, signal: AbortSignal): Promise<void> {
  for (const path of hidden(home, removed)) {
    signal.throwIfAborted();
    await removeTree(path);
  }
  for (const path of hidden(home, '.new-')) {
    const made = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (Date.now() - made > 60_000) await removeTree(path);
  }
}

function hidden(home: string, prefix: string): string[] {
  const dir = placesDir(home);
  try {
    return readdirSync(dir)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(dir, name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
