// What everything of ours on an engine is called, and what its labels say.
//
//   volume errand-<place>                 a place: who made it, its first epoch and expiry; its first workspace too
//          errand-<place>.work-<tag>      a workspace that was filled
//          errand-<place>.current-<n>     which of them is in use: the highest n
//          errand-<place>.epoch-<n>       the fence was raised to n
//          errand-<place>.expires-<ms>    the expiry was moved to ms
//          errand-<place>.shim            what a standing container works with: the shim, and its jobs' records and output
//          errand-<job>.ask  .force       somebody wants the job ended (lives with the job's place)
//   container errand-<job>                a job
//             <workspace>.standing        a standing place's own: jobs run inside it (see standing/)
//             errand-<place>.files-<tag>  never started: a way to a workspace's files
//
// An engine's labels are written once, when a thing is made. So a fact that changes is a new, empty volume whose name
// carries the value: making one is atomic, of two makers the second gets the first one's, and only higher values count.
// Everything carries `errand.place`, so one list gives all that is known of a place, and a release finds all of it.
import { createHash } from 'node:crypto';
import type { Handle, Json } from '@errand/contract';
import { field, text } from './answers.ts';

export const providerName = 'docker';
const handleVersion = 1;

export const label = {
  owner: 'errand.owner',
  key: 'errand.key',
  place: 'errand.place',
  role: 'errand.role',
  /** What the name of a marker carries. */
  value: 'errand.value',
  /** Random: tells who made a thing that two have asked for. */
  made: 'errand.made',
  epoch: 'errand.epoch',
  expires: 'errand.expires',
  image: 'errand.image',
  workdir: 'errand.workdir',
  user: 'errand.user',
  job: 'errand.job',
  /** The workspace that a `current` marker points to. */
  work: 'errand.work',
  spec: 'errand.spec',
  starter: 'errand.starter',
  timeout: 'errand.timeout',
  grace: 'errand.grace',
  /** Of a standing place: a digest of what its container is made of. A job that wants anything else gets one of its own. */
  settings: 'errand.settings',
  /** Something of the engine's machine is mounted inside the workspace, so its files cannot be moved about. */
  fixed: 'errand.fixed',
} as const;

export type Role =
  | 'place'
  | 'work'
  | 'current'
  | 'epoch'
  | 'expires'
  | 'stop'
  | 'job'
  | 'files'
  | 'accident'
  | 'shim'
  | 'standing';

/** A plain key has no dot, so that no name of one kind is ever one of another. */
export function nameOf(key: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(key)) return `errand-${key}`;
  return `errand.${createHash('sha256').update(key).digest('hex')}`;
}

/** What a caller wants on it, without the names that are ours. */
export function ownLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith('errand.')));
}

export interface PlaceState {
  readonly engine: string;
  readonly place: string;
}
export interface JobState extends PlaceState {
  readonly job: string;
  /** It runs in its place's standing container, not in one of its own. */
  readonly inside?: boolean;
}

export function placeHandle({ engine, place }: PlaceState): Handle<'place'> {
  return { kind: 'place', provider: providerName, version: handleVersion, state: { engine, place } };
}

export function jobHandle({ engine, place, job, inside }: JobState): Handle<'job'> {
  const state = { engine, place, job, ...(inside ? { inside } : {}) };
  return { kind: 'job', provider: providerName, version: handleVersion, state };
}

export function placeState(handle: Handle<'place'> | undefined): PlaceState | undefined {
  const engine = text(field(handle?.state, 'engine'));
  const place = nameIn(handle?.state, 'place');
  return engine === '' || place === undefined ? undefined : { engine, place };
}

export function jobState(handle: Handle<'job'> | undefined): JobState | undefined {
  const engine = text(field(handle?.state, 'engine'));
  const place = nameIn(handle?.state, 'place');
  const job = nameIn(handle?.state, 'job');
  const inside = field(handle?.state, 'inside') === true;
  return engine === '' || place === undefined || job === undefined ? undefined : { engine, place, job, inside };
}

/** Handles come back from a store that others can write to, so a name must be one of ours. */
function nameIn(state: Json | undefined, name: string): string | undefined {
  const value = text(field(state, name));
  return /^errand[-.][A-Za-z0-9_-]+$/.test(value) ? value : undefined;
}
