// What things are called. On the far side: ROOT/OWNER/places/PLACE/jobs/JOB; names follow from keys, so that a key alone
// finds what was made under it.
import { createHash } from 'node:crypto';
import type { Handle, Json } from '@errand/contract';
import { field, text } from './options.ts';

export const providerName = 'ssh';
const handleVersion = 1;

/** Also a plain word for any shell. A plain key begins with a letter, a hashed one with a dot-free `h_`. */
export function nameOf(key: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(key) && !key.startsWith('h_')) return key;
  return `h_${createHash('sha256').update(key).digest('hex')}`;
}

/** Where a place is. The options are those of its environment: with them a fresh process finds the machine. */
export interface PlaceState {
  readonly options: Json;
  readonly owner: string;
  readonly place: string;
}
export interface JobState extends PlaceState {
  readonly job: string;
}

export function placeHandle({ options, owner, place }: PlaceState): Handle<'place'> {
  return { kind: 'place', provider: providerName, version: handleVersion, state: { options, owner, place } };
}

export function jobHandle({ options, owner, place, job }: JobState): Handle<'job'> {
  return { kind: 'job', provider: providerName, version: handleVersion, state: { options, owner, place, job } };
}

export function placeState(handle: Handle<'place'> | undefined): PlaceState | undefined {
  const options = field(handle?.state, 'options');
  const owner = nameIn(handle?.state, 'owner');
  const place = nameIn(handle?.state, 'place');
  return options === undefined || owner === undefined || place === undefined ? undefined : { options, owner, place };
}

export function jobState(handle: Handle<'job'> | undefined): JobState | undefined {
  const state = handle && placeState({ ...handle, kind: 'place' });
  const job = nameIn(handle?.state, 'job');
  return state === undefined || job === undefined ? undefined : { ...state, job };
}

/** Handles come back from a store that others can write to, and names become words of a command. */
function nameIn(state: Json | undefined, name: string): string | undefined {
  const value = text(state, name);
  return value !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(value) ? value : undefined;
}
