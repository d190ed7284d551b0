import { expect } from '../expect.ts';
import type { HostScenario } from './scenario.ts';
import { file } from './world.ts';

export const acquireTwice: HostScenario = {
  name: 'the same key adopts the place that is there',
  async run(world) {
    const { key, place } = await world.acquire();
    await world.realize(place, [file('kept', 'yes')]);
    const fresh = await world.reopen();
    expect(await fresh.acquire(world.spec(), world.call(key))).toEqual(place);
    expect(await world.collect(place, 'kept')).toMatchObject([{ path: 'kept', text: 'yes' }]);
    expect(await world.inventory()).toHaveLength(1);
  },
};

export const acquireTogether: HostScenario = {
  name: 'the same key at the same time from two processes makes one place',
  async run(world) {
    const fresh = await world.reopen();
    const key = world.newKey();
    const hosts = [world.host, fresh, world.host, fresh];
    const places = await Promise.all(hosts.map((host) => host.acquire(world.spec(), world.call(key))));
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(1);
    expect(await world.inventory()).toHaveLength(1);
  },
};

export const handlesAreData: HostScenario = {
  name: 'a place’s handle survives JSON and serves a fresh process',
  async run(world) {
    const { place } = await world.acquire();
    await world.realize(place, [file('here', 'yes')]);
    const fresh = await world.reopen();
    const copy = JSON.parse(JSON.stringify(place)) as typeof place;
    const found = [];
    for await (const entry of fresh.collect(copy, ['*'], world.ask)) found.push(entry.path);
    expect(found).toEqual(['here']);
  },
};

export const apart: HostScenario = {
  name: 'places do not share files',
  async run(world) {
    const [one, two] = [await world.acquire(), await world.acquire()];
    await world.realize(one.place, [file('mine', '1')]);
    expect(await world.collect(two.place, '**')).toEqual([]);
    await world.host.release({ key: two.key, handle: two.place }, world.call(two.key));
    expect(await world.collect(one.place, 'mine')).toHaveLength(1);
  },
};

export const inventory: HostScenario = {
  name: 'the inventory lists the places of one owner with their expiry, until they are released',
  async run(world) {
    const key = world.newKey();
    const expiresAt = Date.now() + 123_000;
    await world.host.acquire(world.spec({ expiresAt }), world.call(key));
    const other = world.newKey();
    await world.host.acquire(world.spec({ owner: `${world.owner}-other` }), world.call(other));
    const seen = await world.inventory();
    expect(seen.map((one) => one.key)).toEqual([key]);
    expect(seen[0]).toMatchObject({ alive: true, expiresAt });
    await world.host.release({ key }, world.call(key));
    expect(await world.inventory()).toEqual([]);
    expect((await world.inventory(`${world.owner}-other`)).map((one) => one.key)).toEqual([other]);
  },
};

export const renewals: HostScenario = {
  name: 'a renewal never shortens, and acquiring again does not either',
  async run(world) {
    const { key, place } = await world.acquire();
    const expiry = async () => (await world.inventory())[0]?.expiresAt;
    const long = Date.now() + 3_600_000;
    await world.host.renew(place, long, world.call('renew'));
    expect(await expiry()).toBe(long);
    await world.host.renew(place, long - 1_000_000, world.call('renew'));
    await world.host.acquire(world.spec({ expiresAt: long - 2_000_000 }), world.call(key));
    expect(await expiry()).toBe(long);
  },
};

export const oldHolders: HostScenario = {
  name: 'an old holder is refused everywhere',
  async run(world) {
    const { key, place } = await world.acquire();
    await world.realize(place, [file('kept', 'yes')]);
    await world.host.renew(place, Date.now() + 700_000, world.call('renew', 3));
    const refused = { code: 'provider/fenced' };
    await expect(world.host.acquire(world.spec(), world.call(key, 2))).rejects.toMatchObject(refused);
    await expect(world.host.renew(place, Date.now() + 900_000, world.call('renew', 2))).rejects.toMatchObject(refused);
    await expect(world.realize(place, [file('kept', 'no')], 2)).rejects.toMatchObject(refused);
    await expect(world.host.release({ key, handle: place }, world.call(key, 2))).rejects.toMatchObject(refused);
    expect(await world.collect(place, 'kept')).toMatchObject([{ text: 'yes' }]);
    await world.realize(place, [file('kept', 'new')], 3);
    await world.host.release({ key, handle: place }, world.call(key, 4));
    expect(await world.inventory()).toEqual([]);
  },
};
