import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, Ref } from '@errand/contract';
import type { Hosts } from './hosts.ts';
import { cancelledFile, locate } from './job.ts';
import { nameOf } from './layout.ts';
import { changing, trying } from './remote.ts';

/** After this long nobody can still mean to start the job. */
const markLifetime = 24 * 3_600_000;

/**
 * The far side writes it down before it tells anybody: a start that comes later finds the mark. A job that no machine has
 * is marked on this one, for nobody knows where it would be started.
 */
export async function stop(hosts: Hosts, ref: Ref<'job'>, how: 'ask' | 'force', call: Call): Promise<void> {
  const known = await locate(hosts, ref, call.signal);
  if (!known) leaveMark(hosts.home, nameOf(ref.key));
  const job = known ?? (await locate(hosts, ref, call.signal));
  if (!job) return;
  await trying(`tried to stop the job ${ref.key}`, () =>
    changing(job.remote, 'stop', [job.owner, job.place, job.job, how, call.epoch], call),
  );
}

function leaveMark(home: string, name: string): void {
  const file = cancelledFile(home, name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
  for (const other of readdirSync(dirname(file))) {
    const path = join(dirname(file), other);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > markLifetime) rmSync(path, { force: true });
  }
}
