import { ErrandError } from '@errand/contract';
import type { Ask, Call, Handle, Host, Json, PlaceSpec, Ref, Seen } from '@errand/contract';
import { collect } from './collect.ts';
import { onEach } from './hosts.ts';
import type { Host as Machine, Hosts } from './hosts.ts';
import { nameOf, placeHandle, placeState } from './layout.ts';
import type { PlaceState } from './layout.ts';
import { accountOf, text } from './options.ts';
import { realize } from './realize.ts';
import { asking, changing, trying } from './remote.ts';
import type { Remote } from './remote.ts';

export function createHost(hosts: Hosts): Host {
  const at = (handle: Handle<'place'>): { readonly remote: Remote; readonly state: PlaceState } => {
    const state = placeState(handle);
    if (state) return { remote: hosts.at(state.options).remote, state };
    throw new ErrandError('provider/not-found', 'tried to use a place: its handle cannot be read', {
      next: 'Acquire a new place.',
    });
  };
  return {
    acquire: (spec, call) => acquire(hosts, spec, call),
    async renew(handle, expiresAt, call) {
      const { remote, state } = at(handle);
      const args = [state.owner, state.place, call.epoch, ...expiry(expiresAt)];
      await trying(`tried to renew the place ${state.place}`, () => changing(remote, 'renew', args, call));
    },
    async realize(handle, files, call) {
      const { remote, state } = at(handle);
      await realize(remote, state, files, call);
    },
    async *collect(handle, patterns, ask) {
      const { remote, state } = at(handle);
      yield* collect(remote, state, patterns, ask);
    },
    release: (ref, call) => release(hosts, ref, call),
    inventory: (owner, ask) => onEach(hosts, (machine) => placesOn(machine, owner, ask)),
  };
}

async function acquire(hosts: Hosts, spec: PlaceSpec, call: Call): Promise<Handle<'place'>> {
  const machine = hosts.at(spec.options);
  hosts.remember(machine);
  const state = { options: spec.options, owner: nameOf(spec.owner), place: nameOf(call.key) };
  const input = JSON.stringify({ owner: spec.owner, key: call.key, labels: spec.labels });
  const args = [state.owner, state.place, call.epoch, ...expiry(spec.expiresAt)];
  await trying(`tried to acquire the place ${call.key} on ${accountOf(machine.remote.target)}`, () =>
    changing(machine.remote, 'acquire', args, { ...call, input }),
  );
  return placeHandle(state);
}

/** The moment, for people and comparisons, and how far off it is: clocks of machines differ. */
function expiry(at: number): readonly [number, number] {
  return [Math.ceil(at), Math.ceil(at - Date.now())];
}

/** Without a handle nobody knows on which machine it was made. */
async function release(hosts: Hosts, ref: Ref<'place'>, call: Call): Promise<void> {
  const state = placeState(ref.handle);
  const machines = state ? [hosts.at(state.options)] : hosts.known();
  for (const { remote } of machines) {
    await trying(`tried to release the place ${ref.key} on ${accountOf(remote.target)}`, () =>
      changing(remote, 'release', [state?.owner ?? '-', state?.place ?? nameOf(ref.key), call.epoch], call),
    );
  }
}

async function* placesOn({ options, remote }: Machine, owner: string, ask: Ask): AsyncGenerator<Seen<'place'>> {
  const answer = await trying(`tried to list the places on ${accountOf(remote.target)}`, () =>
    asking(remote, 'inventory', [nameOf(owner)], ask.signal),
  );
  for (const line of answer.split('\n')) {
    const match = /^([01]) (\d+) (\S+) (.*)$/.exec(line);
    const record = match && recordIn(match[4]);
    if (!match || text(record, 'owner') !== owner) continue;
    yield {
      key: text(record, 'key') ?? '',
      handle: placeHandle({ options, owner: nameOf(owner), place: match[3] ?? '' }),
      expiresAt: Number(match[2]),
      alive: match[1] === '1',
    };
  }
}

/** What the far side kept for us; undefined when somebody spoilt it. */
export function recordIn(line: string | undefined): Json | undefined {
  try {
    return JSON.parse(line ?? '') as Json;
  } catch {
    return undefined;
  }
}
