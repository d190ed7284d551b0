// A job's files as any process reads them, whether or not it started the job.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JobExit, Ref } from '@errand/contract';
import { readRecord, writeRecordOnce, createOnce } from './files.ts';
import { jobDir, jobState, markOf, nameOf, placeDir, placesDir } from './layout.ts';
import { membersOf } from './members.ts';
import type { Marked } from './members.ts';
import { isAlive } from './processes.ts';
import type { Identity } from './processes.ts';

export interface LocatedJob {
  readonly dir: string;
  readonly place: string;
  readonly job: string;
  readonly placeDir: string;
}

/** Without a handle the job is looked for in every place: the answer to its start was never heard. */
export function locate(home: string, ref: Ref<'job'>): LocatedJob | undefined {
  const state = ref.handle && jobState(ref.handle);
  const job = nameOf(ref.key);
  if (state) return located(home, state.place, state.job);
  let places: string[] = [];
  try {
    places = readdirSync(placesDir(home));
  } catch {
    return undefined;
  }
  const place = places.find((name) => !name.startsWith('.') && existsSync(jobDir(home, name, job)));
  return place === undefined ? undefined : located(home, place, job);
}

export function located(home: string, place: string, job: string): LocatedJob {
  return { dir: jobDir(home, place, job), place, job, placeDir: placeDir(home, place) };
}

export function readExit(dir: string): JobExit | undefined {
  const record = readRecord(join(dir, 'exit.json'));
  return record && typeof record['kind'] === 'string' ? (record as unknown as JobExit) : undefined;
}

export function readIdentity(path: string): Identity | undefined {
  const record = readRecord(path);
  const pid = record?.['pid'];
  const started = record?.['started'];
  return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
}

/** How the job's processes are recognised, with what is known of it now. */
export function markedJob(home: string, job: LocatedJob): Marked & { readonly sandboxed: boolean } {
  const record = readRecord(join(job.dir, 'job.json'));
  const main = readIdentity(join(job.dir, 'pid.json'));
  return {
    mark: typeof record?.['mark'] === 'string' ? record['mark'] : markOf(home, job.place, job.job),
    sandboxed: record?.['sandbox'] === 'strict',
    ...(main ? { main } : {}),
  };
}

/** In a claim: taken so that nobody starts the job. */
export const nobody: Identity = { pid: 0, started: '' };

export type Observation =
  | { readonly kind: 'ended'; readonly exit: JobExit }
  | {
      readonly kind: 'going';
      /**
       * asked: a living supervisor may have the request. unclaimed: none has. claimed: it is being started.
       * orphaned: its supervisor is dead, so only looking again tells when it ends.
       */
      readonly phase: 'asked' | 'unclaimed' | 'claimed' | 'running' | 'orphaned';
    };

/**
 * The truth about a job from its files and the process table. A job whose supervisor died without a record is settled
 * here as `lost`, once for all observers; it is never run again.
 */
export function observe(home: string, job: LocatedJob, { settleUnclaimed = true } = {}): Observation {
  const exit = readExit(job.dir);
  if (exit) return { kind: 'ended', exit };
  if (!existsSync(job.dir)) return ended('there is no such job: it was never started, or its place was released');
  const claimed = existsSync(join(job.dir, 'claim'));
  const keeper = claimed ? readIdentity(join(job.dir, 'claim')) : askedSupervisor(job.dir);
  // Made a moment ago and not yet written to: whoever made it is at work.
  const justMade = keeper === undefined && isYoung(claimed ? join(job.dir, 'claim') : job.dir);
  if (justMade || (keeper && isAlive(keeper))) {
    if (!claimed) return { kind: 'going', phase: 'asked' };
    return { kind: 'going', phase: existsSync(join(job.dir, 'pid.json')) ? 'running' : 'claimed' };
  }
  const last = readExit(job.dir);
  if (last) return { kind: 'ended', exit: last };
  if (!claimed) {
    if (!settleUnclaimed) return { kind: 'going', phase: 'unclaimed' };
    // Whoever gets the claim decides; with ours in place no late request can start the job any more.
    if (!createOnce(join(job.dir, 'claim'), JSON.stringify(nobody))) return observe(home, job);
    return settle(job, 'it was never started: its supervisor died before it took the job on');
  }
  const marked = markedJob(home, job);
  if (membersOf(marked).length > 0) return { kind: 'going', phase: 'orphaned' };
  const who = keeper ? `its supervisor (process ${keeper.pid})` : 'its supervisor';
  if (keeper?.pid === 0) return settle(job, 'it was never started: its supervisor died before it took the job on');
  if (marked.main) return settle(job, `${who} and its main process (${marked.main.pid}) are gone, and no exit was recorded`);
  return settle(job, `${who} died while it was starting the job, and no process of the job is there`);
}

function isYoung(path: string): boolean {
  const made = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return Date.now() - made < 5_000;
}

function askedSupervisor(dir: string): Identity | undefined {
  const record = readRecord(join(dir, 'job.json'));
  const pid = record?.['supervisor'];
  const started = record?.['supervisorStarted'];
  return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
}

function settle(job: LocatedJob, evidence: string): Observation {
  const exit: JobExit = { kind: 'lost', evidence };
  try {
    writeRecordOnce(join(job.dir, 'exit.json'), exit);
  } catch {
    // The place is being removed; the answer stands all the same.
  }
  return { kind: 'ended', exit: readExit(job.dir) ?? exit };
}

function ended(evidence: string): Observation {
  return { kind: 'ended', exit: { kind: 'lost', evidence } };
}
