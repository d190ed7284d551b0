// What is true at a time. Called at the beginning of every request, so the far side needs no timers of its own.
import type { CloudState, JobRecord, PlaceRecord } from './state.ts';

/** Brings the state to `now`: places expire, jobs end. Calling it twice changes nothing. */
export function settle(state: CloudState, now: number, nativeTimeout: boolean): void {
  for (const place of state.places) {
    if (place.goneAt === undefined && place.expiresAt <= now) endPlace(state, place, place.expiresAt, 'expiry', nativeTimeout);
  }
  for (const job of state.jobs) settleJob(job, now, nativeTimeout);
}

/** A place takes its jobs along; one that ended before keeps its own end. */
export function endPlace(
  state: CloudState,
  place: PlaceRecord,
  at: number,
  by: 'release' | 'expiry' | 'death',
  nativeTimeout: boolean,
): void {
  place.goneAt = at;
  place.goneBy = by;
  for (const job of state.jobs) {
    if (job.place !== place.id) continue;
    settleJob(job, at, nativeTimeout);
    job.ended ??= { at, end: { kind: 'signalled', signal: 'SIGKILL' } };
  }
}

function settleJob(job: JobRecord, now: number, nativeTimeout: boolean): void {
  if (job.ended) return;
  const next = nextEnd(job, nativeTimeout);
  if (next && next.at <= now) job.ended = next;
}

/** The first of: its own end, the far side's deadline, the effect of a stop request. Undefined when none is in sight. */
export function nextEnd(job: JobRecord, nativeTimeout: boolean): JobRecord['ended'] {
  const runsAt = startsRunning(job);
  const ends: NonNullable<JobRecord['ended']>[] = [];
  if (runsAt !== undefined && job.script.end) ends.push({ at: runsAt + job.script.end.at, end: job.script.end.end });
  if (runsAt !== undefined && nativeTimeout && job.timeout !== undefined) {
    ends.push({ at: runsAt + job.timeout, end: { kind: 'timed-out' } });
  }
  if (job.stopping) ends.push({ at: job.stopping.at, end: { kind: 'signalled', signal: job.stopping.signal } });
  return ends.toSorted((a, b) => a.at - b.at)[0];
}

/** Undefined when it never leaves pending. */
export function startsRunning(job: JobRecord): number | undefined {
  return job.script.pending === null ? undefined : job.createdAt + job.script.pending;
}

/** All that the job has put out until `now`, as one sequence of pieces; what it would have said after its end is not there. */
export function outputUntil(job: JobRecord, now: number): JobRecord['script']['output'] {
  const runsAt = startsRunning(job);
  if (runsAt === undefined) return [];
  const until = Math.min(now, job.ended?.at ?? now);
  // A natural end is written after the last line, also within one millisecond.
  return job.script.output.filter((piece) => runsAt + piece.at <= until);
}
