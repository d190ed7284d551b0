// Where everything lies below the provider's home:
//
//   places/<key>/place.json      who made it, and its first epoch and expiry; never rewritten
//               epoch.<n>        the fence was raised to n
//               expires.<ms>     the expiry was moved to ms
//               releasing        no job may start here any more
//               work/            the workspace
//               j.<key>.job      the job's record: asked for, claimed, main process, exit (see record.ts)
//               j.<key>.claim    made exclusively by the one supervisor that may start it
//               j.<key>.out .err what it wrote
//   places/.new-… .gone-…        places on their way in and out
//   spares/                      emptied places for the next ones (see spare.ts)
//   cancelled/<key>              a stop that came before the start
//
// Facts are files that only ever appear or grow, so no lock is needed to change a place. Markers are hard links to a
// file that is there already: on some file systems a new file costs a hundred times more than a new name.
import { join } from 'node:path';
import type { Handle, Json } from '@errand/contract';

export const providerName = 'local';
const handleVersion = 1;

/** `~` cannot occur in a plain key, so a hashed name never meets one. */
export function nameOf(key: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,120}$/.test(key)) return key;
  return `~${sha256(key)}`;
}

export const placesDir = (home: string) => join(home, 'places');
export const placeDir = (home: string, place: string) => join(home, 'places', place);
/** What the names of a job's files begin with. */
export const jobBase = (home: string, place: string, job: string) => join(home, 'places', place, `j.${job}`);
export const cancelledFile = (home: string, job: string) => join(home, 'cancelled', job);

/** The jobs whose records are among these names. */
export function jobNames(names: readonly string[]): string[] {
  return names.flatMap((name) => /^j\.(.+)\.job$/.exec(name)?.[1] ?? []);
}

export interface PlaceState {
  readonly place: string;
}
export interface JobState extends PlaceState {
  readonly job: string;
}

export function placeHandle(place: string): Handle<'place'> {
  return { kind: 'place', provider: providerName, version: handleVersion, state: { place } };
}

export function jobHandle(place: string, job: string): Handle<'job'> {
  return { kind: 'job', provider: providerName, version: handleVersion, state: { place, job } };
}

/** Handles come back from a store that others can write to, so a name must not lead anywhere else. */
function nameIn(state: Json, field: string): string | undefined {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return undefined;
  const value = (state as { readonly [key: string]: Json })[field];
  return typeof value === 'string' && /^[A-Za-z0-9_~-][A-Za-z0-9_.-]*$/.test(value) ? value : undefined;
}

export function placeState(handle: Handle<'place'>): PlaceState | undefined {
  const place = nameIn(handle.state, 'place');
  return place === undefined ? undefined : { place };
}

export function jobState(handle: Handle<'job'>): JobState | undefined {
  const place = nameIn(handle.state, 'place');
  const job = nameIn(handle.state, 'job');
  return place === undefined || job === undefined ? undefined : { place, job };
}

/** Every process of the job carries this in its environment, so that it is found even after it left its session. */
export function markOf(home: string, place: string, job: string): string {
  return sha256(`${home}\0${place}\0${job}`).slice(0, 24);
}

/** Loaded at the first use: the supervisor is launched before that, and comes up meanwhile. */
function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
