// A job as any process sees it, whether or not it started the job.
import { existsSync, readdirSync, statSync } from 'node:fs';
import type { JobExit, Ref } from '@errand/contract';
import { linkOnce } from './files.ts';
import { jobBase, jobState, markOf, nameOf, placeDir, placesDir } from './layout.ts';
import { membersOf } from './members.ts';
import type { Marked } from './members.ts';
import { isAlive } from './processes.ts';
import type { Identity } from './processes.ts';
import { append, claimFile, readJobRecord, recordFile } from './record.ts';

export interface LocatedJob {
  /** What the names of the job's files begin with. */
  readonly base: string;
  readonly place: string;
  readonly job: string;
  readonly placeDir: string;
  readonly mark: string;
}

/** Undefined when there is no record of it. Without a handle it is looked for in every place: the answer to its start was never heard. */
export function locate(home: string, ref: Ref<'job'>): LocatedJob | undefined {
  const state = ref.handle && jobState(ref.handle);
  if (state) return known(located(home, state.place, state.job));
  const job = nameOf(ref.key);
  for (const place of allPlaces(home)) {
    const found = known(located(home, place, job));
    if (found) return found;
  }
  return undefined;
}

const known = (job: LocatedJob) => (existsSync(recordFile(job)) ? job : undefined);

function allPlaces(home: string): string[] {
  try {
    return readdirSync(placesDir(home)).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

export function located(home: string, place: string, job: string): LocatedJob {
  return { base: jobBase(home, place, job), place, job, placeDir: placeDir(home, place), mark: markOf(home, place, job) };
}

/** How the job's processes are recognised, with what is known of it now. */
export function markedJob(job: LocatedJob): Marked & { readonly sandboxed: boolean } {
  const record = readJobRecord(job);
  return {
    mark: record?.mark ?? job.mark,
    sandboxed: record?.sandboxed ?? false,
    ...(record?.main ? { main: record.main } : {}),
  };
}

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
 * The truth about a job from its record and the process table. A job whose supervisor died without a last word is
 * settled here as `lost`, once for all observers; it is never run again.
 */
export function observe(job: LocatedJob, { settleUnclaimed = true } = {}): Observation {
  const claimed = existsSync(claimFile(job));
  const record = readJobRecord(job);
  if (record?.exit) return { kind: 'ended', exit: record.exit };
  if (!existsSync(recordFile(job))) {
    return {
      kind: 'ended',
      exit: { kind: 'lost', evidence: 'there is no such job: it was never started, or its place was released' },
    };
  }
  const keeper = claimed ? record?.claimed : record?.supervisor;
  // Made a moment ago and not yet written to: whoever made it is at work.
  const justMade = keeper === undefined && isYoung(recordFile(job));
  if (justMade || (keeper && isAlive(keeper))) {
    if (!claimed) return { kind: 'going', phase: 'asked' };
    return { kind: 'going', phase: record?.main ? 'running' : 'claimed' };
  }
  // Its last word may have come while we looked.
  const last = readJobRecord(job)?.exit;
  if (last) return { kind: 'ended', exit: last };
  if (!claimed) {
    if (!settleUnclaimed) return { kind: 'going', phase: 'unclaimed' };
    return takeClaim(job, neverStarted) ? ended(job, neverStarted) : observe(job);
  }
  const marked = markedJob(job);
  if (membersOf(marked).length > 0) return { kind: 'going', phase: 'orphaned' };
  return settle(job, evidenceOf(keeper, marked.main));
}

const neverStarted: JobExit = { kind: 'lost', evidence: 'it was never started: its supervisor died before it took the job on' };

/** In a claim: taken so that nobody starts the job. */
const nobody: Identity = { pid: 0, started: '' };

/** Whoever gets the claim decides; with it in our hand nobody will ever start the job. False when somebody has it. */
export function takeClaim(job: LocatedJob, exit: JobExit): boolean {
  if (existsSync(claimFile(job)) || !linkOnce(recordFile(job), claimFile(job))) return false;
  append(job, { claimed: nobody }, { exit });
  return true;
}

function evidenceOf(keeper: Identity | undefined, main: Identity | undefined): string {
  if (keeper?.pid === 0) return 'it was never started: it was stopped before';
  const who = keeper ? `its supervisor (process ${keeper.pid})` : 'its supervisor';
  if (main) return `${who} and its main process (${main.pid}) are gone, and no exit was recorded`;
  return `${who} died while it was starting the job, and no process of the job is there`;
}

function settle(job: LocatedJob, evidence: string): Observation {
  const exit: JobExit = { kind: 'lost', evidence };
  try {
    append(job, { exit });
  } catch {
    // The place is being removed; the answer stands all the same.
  }
  return ended(job, exit);
}

const ended = (job: LocatedJob, exit: JobExit): Observation => ({ kind: 'ended', exit: readJobRecord(job)?.exit ?? exit });

function isYoung(path: string): boolean {
  const made = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return Date.now() - made < 5_000;
}
