import { expect } from '../expect.ts';
import { needsRunner } from './scenario.ts';
import type { HostScenario } from './scenario.ts';
import { file } from './world.ts';

export const releaseTwice: HostScenario = {
  name: 'releasing twice, together, or what never was is fine',
  async run(world) {
    const { key, place } = await world.acquire();
    await Promise.all([
      world.host.release({ key, handle: place }, world.call(key)),
      world.host.release({ key }, world.call(key)),
      (await world.reopen()).release({ key }, world.call(key)),
    ]);
    await world.host.release({ key, handle: place }, world.call(key));
    const unknown = world.newKey();
    await world.host.release({ key: unknown }, world.call(unknown));
    expect(await world.inventory()).toEqual([]);
  },
};

export const releasedIsGone: HostScenario = {
  name: 'a released place refuses every use, and its key starts empty',
  async run(world) {
    const { key, place } = await world.acquire();
    await world.realize(place, [file('old', 'x')]);
    await world.host.release({ key, handle: place }, world.call(key));
    await expect(world.host.renew(place, Date.now() + 1_000, world.call('renew'))).rejects.toMatchObject({
      code: 'provider/not-found',
    });
    await expect(world.realize(place, [])).rejects.toMatchObject({ code: 'provider/not-found' });
    const again = await world.host.acquire(world.spec(), world.call(key));
    expect(await world.collect(again, '**')).toEqual([]);
  },
};

export const releaseKills: HostScenario = {
  name: 'a release ends every job in the place, stubborn ones included',
  unless: needsRunner,
  async run(world) {
    const { key, place } = await world.acquire();
    const started = Date.now();
    const ends = [
      await world.start(place, "trap '' TERM; while :; do sleep 0.1; done"),
      await world.start(place, "(setsid sh -c 'sleep 60' &); sleep 60"),
    ];
    await world.host.release({ key, handle: place }, world.call(key));
    for (const end of ends) expect((await end()).kind).toMatch(/signalled|lost|exited/);
    expect(Date.now() - started).toBeLessThan(30_000);
    expect(await world.inventory()).toEqual([]);
  },
};

export const readOnly: HostScenario = {
  name: 'a release removes what a job made read-only',
  unless: needsRunner,
  async run(world) {
    const { key, place } = await world.acquire();
    await world.run(place, 'mkdir -p a/b; echo x > a/b/c; chmod 400 a/b/c; chmod 500 a/b a; mkdir none; chmod 000 none');
    await world.host.release({ key, handle: place }, world.call(key));
    expect(await world.inventory()).toEqual([]);
  },
};
