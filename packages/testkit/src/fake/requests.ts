// What the far side does with each request: pure steps on its state. An error is returned, not thrown, so that the
// refusal itself is remembered in the journal.
import { ErrandError } from '@errand/contract';
import type { CloudState, FileRecord, JobRecord, JournalEntry, PlaceRecord } from './state.ts';
import { endPlace } from './timeline.ts';

export interface Request {
  readonly now: number;
  readonly key: string;
  readonly epoch: number;
  readonly nativeTimeout: boolean;
}

export function acquire(state: CloudState, request: Request, owner: string, expiresAt: number): PlaceRecord | ErrandError {
  const there = state.places.find((place) => place.key === request.key && place.goneAt === undefined);
  if (there) return fenced(state, request, 'acquire', there) ?? (note(state, request, 'acquire', there.id, 'adopted'), there);
  const { key, epoch, now } = request;
  const place: PlaceRecord = { id: `place-${++state.serial}`, key, owner, createdAt: now, epoch, expiresAt, files: {} };
  state.places.push(place);
  note(state, request, 'acquire', place.id, 'done');
  return place;
}

export function renew(state: CloudState, request: Request, id: string, expiresAt: number): ErrandError | undefined {
  const place = standing(state, id);
  if (place instanceof ErrandError) return place;
  const refusal = fenced(state, request, 'renew', place);
  if (refusal) return refusal;
  place.expiresAt = Math.max(place.expiresAt, expiresAt);
  note(state, request, 'renew', id, 'done');
  return undefined;
}

export function realize(
  state: CloudState,
  request: Request,
  id: string,
  files: Record<string, FileRecord>,
): ErrandError | undefined {
  const place = standing(state, id);
  if (place instanceof ErrandError) return place;
  const refusal = fenced(state, request, 'realize', place);
  if (refusal) return refusal;
  place.files = files;
  place.replaced = state.jobs.length;
  note(state, request, 'realize', id, 'done');
  return undefined;
}

/** By id when the handle is known, else by key. */
export function release(state: CloudState, request: Request, id: string | undefined): ErrandError | undefined {
  const place = state.places.find(
    (candidate) => candidate.goneAt === undefined && (id === undefined ? candidate.key === request.key : candidate.id === id),
  );
  if (!place) {
    note(state, request, 'release', id, 'nothing');
    return undefined;
  }
  const refusal = fenced(state, request, 'release', place);
  if (refusal) return refusal;
  endPlace(state, place, request.now, 'release', request.nativeTimeout);
  note(state, request, 'release', place.id, 'done');
  return undefined;
}

export type NewJob = Pick<JobRecord, 'owner' | 'place' | 'script' | 'timeout'>;

export function start(state: CloudState, request: Request, job: NewJob): JobRecord | ErrandError {
  const there = findJob(state, request.key);
  if (job.place !== undefined) {
    const place = standing(state, job.place);
    if (place instanceof ErrandError) return place;
    const refusal = fenced(state, request, 'start', place);
    if (refusal) return refusal;
  }
  if (there) {
    const refusal = fenced(state, request, 'start', there);
    if (refusal) return refusal;
    note(state, request, 'start', there.place, 'adopted');
    return there;
  }
  const record: JobRecord = { ...job, key: request.key, createdAt: request.now, epoch: request.epoch, forced: 0 };
  const bar = state.barred[request.key];
  if (bar !== undefined) {
    const refusal = fenced(state, request, 'start', Object.assign(record, { epoch: bar }));
    if (refusal) return refusal;
    state.jobs.push(neverRuns(record, request.now));
    note(state, request, 'start', job.place, 'nothing');
    return record;
  }
  state.jobs.push(record);
  state.starts[request.key] = (state.starts[request.key] ?? 0) + 1;
  note(state, request, 'start', job.place, 'done');
  return record;
}

export function stop(state: CloudState, request: Request, how: 'ask' | 'force', takes: number): ErrandError | undefined {
  const job = findJob(state, request.key);
  if (!job) state.barred[request.key] = Math.max(state.barred[request.key] ?? 0, request.epoch);
  if (!job || job.ended) {
    note(state, request, 'stop', job?.place, 'nothing');
    return undefined;
  }
  const place = state.places.find((candidate) => candidate.id === job.place);
  const refusal = (place && fenced(state, request, 'stop', place)) ?? fenced(state, request, 'stop', job);
  if (refusal) return refusal;
  note(state, request, 'stop', job.place, 'done');
  const deaf = how === 'ask' ? job.script.ignoresAsk : job.forced++ < job.script.ignoresForce;
  const at = request.now + takes;
  const signal = how === 'ask' ? 'SIGTERM' : 'SIGKILL';
  if (!deaf && (!job.stopping || job.stopping.at > at)) job.stopping = { at, signal };
  return undefined;
}

function neverRuns(job: JobRecord, now: number): JobRecord {
  return Object.assign(job, {
    script: { ...job.script, pending: null },
    ended: { at: now, end: { kind: 'signalled', signal: 'SIGTERM' } },
  });
}

export function findJob(state: CloudState, key: string): JobRecord | undefined {
  return state.jobs.find((job) => job.key === key);
}

function standing(state: CloudState, id: string): PlaceRecord | ErrandError {
  const place = state.places.find((candidate) => candidate.id === id && candidate.goneAt === undefined);
  return place ?? new ErrandError('provider/not-found', `asked the fake cloud for the place ${id}; it is not there`);
}

function fenced(state: CloudState, request: Request, method: string, thing: PlaceRecord | JobRecord): ErrandError | undefined {
  if (request.epoch >= thing.epoch) {
    thing.epoch = request.epoch;
    return undefined;
  }
  note(state, request, method, 'id' in thing ? thing.id : thing.place, 'fenced');
  return new ErrandError(
    'provider/fenced',
    `asked the fake cloud to ${method} ${request.key} with epoch ${request.epoch}; it has seen ${thing.epoch}`,
  );
}

function note(
  state: CloudState,
  request: Request,
  method: string,
  place: string | undefined,
  result: JournalEntry['result'],
): void {
  state.journal.push({ at: request.now, method, key: request.key, place, epoch: request.epoch, result });
}
