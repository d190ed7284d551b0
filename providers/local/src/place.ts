// A place's record: its owner, its fence and its expiry. Fence and expiry only ever rise, as files whose names carry
// the number, so two holders that write at the same time cannot undo each other.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import { fileError, isAbsent, linkOnce, readRecord } from './files.ts';

export interface Place {
  readonly owner: string;
  readonly key: string;
  readonly epoch: number;
  readonly expiresAt: number;
  readonly releasing: boolean;
}

/** Undefined when there is none. */
export function readPlace(dir: string): Place | undefined {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw fileError(`tried to read the place ${dir}`, error);
  }
  const record = readRecord(join(dir, 'place.json'));
  let epoch = Number(record?.['epoch'] ?? 0);
  let expiresAt = Number(record?.['expiresAt'] ?? 0);
  for (const name of names) {
    if (name.startsWith('epoch.')) epoch = Math.max(epoch, Number(name.slice('epoch.'.length)) || 0);
    if (name.startsWith('expires.')) expiresAt = Math.max(expiresAt, Number(name.slice('expires.'.length)) || 0);
  }
  return {
    owner: textIn(record, 'owner'),
    key: textIn(record, 'key'),
    epoch,
    expiresAt,
    releasing: names.includes('releasing'),
  };
}

function textIn(record: Readonly<Record<string, unknown>> | undefined, name: string): string {
  const value = record?.[name];
  return typeof value === 'string' ? value : '';
}

/** Throws `provider/fenced` for an old holder; a new one's epoch becomes the fence. */
export function passFence(dir: string, place: Place, epoch: number): void {
  if (epoch < place.epoch) throw fenced(place, epoch);
  if (epoch > place.epoch) raise(dir, 'epoch', epoch);
}

export function fenced(place: Place, epoch: number): ErrandError {
  return new ErrandError(
    'provider/fenced',
    `refused a call of holder ${epoch} to the place ${place.key}: holder ${place.epoch} has it now`,
    { next: 'Another Errand process has taken over; let it go on.' },
  );
}

export function extendPlace(dir: string, place: Place, expiresAt: number): void {
  if (expiresAt > place.expiresAt) raise(dir, 'expires', Math.ceil(expiresAt));
}

/** From here on no supervisor starts a job in the place. */
export function closePlace(dir: string): void {
  linkOnce(join(dir, 'place.json'), join(dir, 'releasing'));
}

function raise(dir: string, what: 'epoch' | 'expires', to: number): void {
  try {
    linkOnce(join(dir, 'place.json'), join(dir, `${what}.${to}`));
    for (const name of readdirSync(dir)) {
      if (name.startsWith(`${what}.`) && Number(name.slice(what.length + 1)) < to) rmSync(join(dir, name), { force: true });
    }
  } catch (error) {
    throw fileError(`tried to raise the ${what} of the place ${dir} to ${to}`, error);
  }
}
