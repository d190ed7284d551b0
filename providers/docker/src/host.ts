import { ErrandError } from '@errand/contract';
import type { Ask, Call, Handle, Host, PlaceSpec, Ref, Seen } from '@errand/contract';
import type { Engine, EngineInfo, Volume } from './client.ts';
import { collect } from './collect.ts';
import { onEach } from './engines.ts';
import type { Engines } from './engines.ts';
import { engineError, trying } from './errors.ts';
import { ensureImage } from './image.ts';
import { label, nameOf, ownLabels, placeHandle, placeState } from './layout.ts';
import { readOptions } from './options.ts';
import { extendPlace, labelsIn, passFence, placeFrom, readPlace, standingPlace } from './place.ts';
import { ownWorkspace, realize } from './realize.ts';
import { release } from './release.ts';
import { bringUp } from './standing/container.ts';
import { realizeInside } from './standing/realize.ts';
import { renewInside } from './standing/renew.ts';
import { isAlwaysStanding, machineOf, settingsOf } from './standing/settings.ts';

export function createHost(engines: Engines): Host {
  const at = (handle: Handle<'place'>) => {
    const state = placeState(handle);
    if (state) {
      // Whatever comes now may change it.
      engines.fresh.take(state.place);
      return { engine: engines.at(state.engine), name: state.place };
    }
    throw new ErrandError('provider/not-found', 'tried to use a place: its handle cannot be read', {
      next: 'Acquire a new place.',
    });
  };
  return {
    acquire: (spec, call) => acquire(engines, spec, call),
    async renew(handle, expiresAt, call) {
      const { engine, name } = at(handle);
      const place = await standingPlace(engine, name, call.signal);
      await passFence(engine, place, call.epoch, call.signal);
      await extendPlace(engine, place, expiresAt, call.signal);
      if (place.settings !== '') await renewInside(engines, engine, name, Math.max(expiresAt, place.expiresAt), call);
    },
    async realize(handle, files, call) {
      const { engine, name } = at(handle);
      if (!(await realizeInside(engine, name, files, call))) await realize(engine, name, files, call);
    },
    async *collect(handle, patterns, ask) {
      const { engine, name } = at(handle);
      yield* collect(engine, name, patterns, ask);
    },
    release: (ref, call) => releaseOn(engines, ref, call),
    inventory: (owner, ask) => onEach(engines, (engine) => placesOn(engine, owner, ask)),
  };
}

async function acquire(engines: Engines, spec: PlaceSpec, call: Call): Promise<Handle<'place'>> {
  const options = readOptions(spec.options);
  const engine = engines.at(options.engine);
  const name = nameOf(call.key);
  if (spec.image === undefined) {
    throw new ErrandError('config/invalid', `tried to acquire the place ${call.key}: no image was given`, {
      next: 'Give the environment an image, or use --image.',
    });
  }
  // Its settings will be wanted in a moment; a failure shows up then.
  const info = engines.info(engine, call.signal);
  info.catch(() => undefined);
  const image = (await engines.images.take(`${engine.address} ${spec.image}`)) ?? (await ensureImage(engine, spec.image, call));
  engines.remember(engine);
  const labels = {
    ...ownLabels(spec.labels),
    ...labelsIn({ name, owner: spec.owner, key: call.key }, 'place', {
      [label.epoch]: String(call.epoch),
      [label.expires]: String(Math.ceil(spec.expiresAt)),
      [label.image]: spec.image,
      [label.workdir]: options.workdir,
      [label.user]: options.user ?? image.user,
      ...((await wantsStanding(info, spec)) ? { [label.settings]: settingsOf(spec) } : {}),
      ...(options.mounts.some(({ target }) => target.startsWith(`${options.workdir}/`)) ? { [label.fixed]: 'yes' } : {}),
    }),
  };
  const made = await trying(engine, `tried to make the place ${call.key}`, () => engine.createVolume(name, labels, call.signal));
  // Its first holder, who has just made it, knows all there is; anybody else looks for what others have left.
  const isNew = call.epoch === 1 && made.labels[label.made] === labels[label.made];
  const place = isNew ? placeFrom(name, [made]) : await readPlace(engine, name, call.signal);
  if (!place?.standing || made.labels[label.role] !== 'place') {
    throw new ErrandError('provider/conflict', `tried to acquire the place ${call.key}: it is just being released`, {
      next: 'Acquire a place under a new key.',
    });
  }
  if (place.owner !== spec.owner) {
    throw new ErrandError('provider/conflict', `tried to acquire the place ${call.key}: it belongs to ${place.owner}`, {
      next: 'Acquire a place under a new key.',
    });
  }
  await passFence(engine, place, call.epoch, call.signal);
  await extendPlace(engine, place, spec.expiresAt, call.signal);
  await ownWorkspace(engine, place, call);
  if (place.settings === '') engines.fresh.put(name, place);
  if (place.settings !== '' && place.settings === settingsOf(spec)) await bringUpNow(engines, engine, name, spec, call);
  return placeHandle({ engine: engine.address, place: name });
}

async function wantsStanding(asked: Promise<EngineInfo>, spec: PlaceSpec): Promise<boolean> {
  const info = await asked;
  return machineOf(info) !== undefined && (spec.standing === true || isAlwaysStanding(info));
}

/** As the place is after its fence and expiry were raised. */
async function bringUpNow(engines: Engines, engine: Engine, name: string, spec: PlaceSpec, call: Call): Promise<void> {
  const place = await standingPlace(engine, name, call.signal);
  await bringUp(engines, engine, place, spec, call);
  await renewInside(engines, engine, name, place.expiresAt, call);
}

/** Without a handle nobody knows on which engine it was made. */
async function releaseOn(engines: Engines, ref: Ref<'place'>, call: Call): Promise<void> {
  const state = placeState(ref.handle);
  if (state) return release(engines.at(state.engine), state.place, call);
  for (const engine of engines.known()) await release(engine, nameOf(ref.key), call);
}

async function* placesOn(engine: Engine, owner: string, ask: Ask): AsyncGenerator<Seen<'place'>> {
  try {
    const volumes = await engine.volumes({ [label.owner]: owner }, ask.signal);
    for (const [name, own] of groups(volumes)) {
      ask.signal.throwIfAborted();
      const place = placeFrom(name, own);
      if (!place) continue;
      const { key, expiresAt, standing } = place;
      yield { key, handle: placeHandle({ engine: engine.address, place: name }), expiresAt, alive: standing };
    }
  } catch (error) {
    throw engineError(engine.address, `tried to list the places on ${engine.address}`, error);
  }
}

export function groups(volumes: readonly Volume[]): Map<string, Volume[]> {
  const found = new Map<string, Volume[]>();
  for (const volume of volumes) {
    const name = volume.labels[label.place];
    if (name === undefined) continue;
    const group = found.get(name) ?? [];
    found.set(name, group);
    group.push(volume);
  }
  return found;
}
