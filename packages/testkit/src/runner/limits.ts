import { expect } from '../expect.ts';
import { needsPlace } from './scenario.ts';
import type { RunnerScenario } from './scenario.ts';

export const deadline: RunnerScenario = {
  name: 'the far side ends a job at its deadline: ask, grace, force',
  unless: (has) => (has.nativeTimeout ? undefined : 'it does not enforce a deadline'),
  async run(world) {
    const polite = await world.start("trap 'echo bye; exit 0' TERM; while :; do sleep 0.1; done", { timeout: 400, grace: 5_000 });
    const stubborn = await world.start("trap '' TERM; while :; do sleep 0.1; done", { timeout: 400, grace: 300 });
    expect(await polite.exit()).toMatchObject({ kind: 'timed-out' });
    expect((await polite.output()).stdout.toString()).toBe('bye\n');
    expect(await stubborn.exit()).toMatchObject({ kind: 'timed-out' });
    const quick = await world.start('exit 2', { timeout: 60_000 });
    expect(await quick.exit()).toMatchObject({ kind: 'exited', code: 2 });
  },
};

export const memory: RunnerScenario = {
  name: 'a job over its memory limit is ended as out of memory',
  unless: (has) => (has.resources.includes('memory') ? undefined : 'it does not limit memory'),
  async run(world) {
    const greedy = await world.start('head -c 1500000000 /dev/zero | tail', { resources: { memory: 64 * 1024 * 1024 } });
    expect(await greedy.exit()).toMatchObject({ kind: 'errored', reason: 'oom' });
    const modest = await world.start('sleep 0.3; exit 3', { resources: { memory: 64 * 1024 * 1024 } });
    const exit = await modest.exit();
    const said = (await modest.output()).stderr.toString();
    expect({ ...exit, said }).toMatchObject({ kind: 'exited', code: 3 });
  },
};

export const expiry: RunnerScenario = {
  name: 'the far side ends the jobs of a place that expires, and not those of one that was renewed',
  unless: (has, world) => (has.nativeExpiry ? needsPlace(has, world) : 'it does not enforce expiry'),
  async run(world) {
    const { host } = world.provider;
    const acquire = async (key: string, after: number) => {
      const place = {
        owner: world.owner,
        expiresAt: Date.now() + after,
        resources: {},
        labels: {},
        options: world.spec({ argv: [] }).options,
      };
      return host?.acquire(place, world.call(key));
    };
    // The first start may be a slow one, so the place that is to be renewed has more time.
    const renewed = await acquire('place-renewed', 3_000);
    if (!renewed) throw new Error('no place');
    const kept = await world.start('sleep 4; exit 4', { place: renewed });
    await host?.renew(renewed, Date.now() + 60_000, world.call('place-renewed'));
    const expiring = await acquire('place-expiring', 1_000);
    if (!expiring) throw new Error('no place');
    const doomed = await world.start('sleep 30', { place: expiring });
    const exit = await doomed.exit();
    expect(exit.kind).toBe('lost');
    expect(exit.kind === 'lost' && exit.evidence).not.toBe('');
    expect(await kept.exit()).toMatchObject({ kind: 'exited', code: 4 });
    for (const key of ['place-expiring', 'place-renewed']) await host?.release({ key }, world.call(key));
  },
};

export const oldHolder: RunnerScenario = {
  name: 'an old holder can neither start nor stop a job',
  unless: needsPlace,
  async run(world) {
    if (!world.place) return;
    const job = await world.start('sleep 0.5; exit 3');
    await world.provider.host?.renew(world.place, Date.now() + 600_000, world.call('renewal', { epoch: 2 }));
    const key = world.newKey();
    const late = world.runner.start(world.spec({ script: 'echo x >> effects' }), world.call(key));
    await expect(late).rejects.toMatchObject({ code: 'provider/fenced' });
    await expect(job.stop('force')).rejects.toMatchObject({ code: 'provider/fenced' });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 3 });
  },
};
