import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Ask, Call, Handle, Host, PlaceSpec, Seen } from '@errand/contract';
import { collect } from './collect.ts';
import { codeOf, fileError, temporaryName } from './files.ts';
import { namesIn } from './find.ts';
import { nameOf, placeDir, placeHandle, placesDir, placeState } from './layout.ts';
import { extendPlace, passFence, readPlace } from './place.ts';
import { realize } from './realize.ts';
import { release, removeLeftovers } from './release.ts';
import { takeSpare, writeOver } from './spare.ts';
import type { Supervisor } from './supervise.ts';

export function createHost(home: string, supervisor: Supervisor): Host {
  return {
    async acquire(spec, call) {
      // Where a place is made a job will follow: the supervisor comes up while the workspace is filled.
      supervisor.warm();
      return acquire(home, spec, call);
    },
    async renew(handle, expiresAt, call) {
      const { dir, place } = standing(home, handle);
      passFence(dir, place, call.epoch);
      extendPlace(dir, place, expiresAt);
    },
    async realize(handle, files, call) {
      const { dir, place } = standing(home, handle);
      passFence(dir, place, call.epoch);
      // Looked at again just before the files become visible: a new holder may have come while they were copied.
      const check = () => {
        const now = standing(home, handle);
        passFence(dir, now.place, call.epoch);
      };
      await realize(dir, files, check, call.signal);
    },
    async *collect(handle, patterns, ask) {
      yield* collect(join(standing(home, handle).dir, 'work'), patterns, ask);
    },
    release: (ref, call) => release(home, ref, call),
    inventory: (owner, ask) => inventory(home, owner, ask),
  };
}

/** A new place is made beside and renamed into view, so that a half-made one is never adopted. */
function acquire(home: string, spec: PlaceSpec, call: Call): Handle<'place'> {
  const name = nameOf(call.key);
  const dir = placeDir(home, name);
  if (!existsSync(dir) && make(home, dir, spec, call)) return placeHandle(name);
  const place = readPlace(dir);
  if (!place || place.releasing) {
    throw new ErrandError('provider/conflict', `tried to acquire the place ${call.key}: it is just being released`, {
      next: 'Acquire a place under a new key.',
    });
  }
  passFence(dir, place, call.epoch);
  extendPlace(dir, place, spec.expiresAt);
  return placeHandle(name);
}

/** False when somebody else made it meanwhile. */
function make(home: string, dir: string, spec: PlaceSpec, call: Call): boolean {
  const draft = temporaryName(join(placesDir(home), `.new-${nameOf(call.key)}`));
  try {
    mkdirSync(placesDir(home), { recursive: true, mode: 0o700 });
    const { owner, expiresAt, labels } = spec;
    const record = JSON.stringify({ owner, key: call.key, epoch: call.epoch, expiresAt, labels, created: Date.now() });
    if (takeSpare(home, draft)) writeOver(join(draft, 'place.json'), record);
    else {
      mkdirSync(draft, { mode: 0o700 });
      mkdirSync(join(draft, 'work'), { mode: 0o700 });
      writeFileSync(join(draft, 'place.json'), record, { mode: 0o600 });
    }
    renameSync(draft, dir);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw fileError(`tried to make the place ${dir}`, error);
  }
}

function standing(home: string, handle: Handle<'place'>) {
  const state = placeState(handle);
  const dir = state && placeDir(home, state.place);
  const place = dir && readPlace(dir);
  if (dir && place && !place.releasing) return { dir, place };
  throw new ErrandError('provider/not-found', `tried to use the place ${state?.place ?? 'of an unreadable handle'}: it is gone`, {
    next: 'Acquire a new place.',
  });
}

async function* inventory(home: string, owner: string, ask: Ask): AsyncGenerator<Seen<'place'>> {
  await removeLeftovers(home, ask.signal);
  for (const name of namesIn(placesDir(home))) {
    ask.signal.throwIfAborted();
    const place = readPlace(placeDir(home, name));
    if (place?.owner === owner) yield { key: place.key, handle: placeHandle(name), expiresAt: place.expiresAt, alive: true };
  }
}
