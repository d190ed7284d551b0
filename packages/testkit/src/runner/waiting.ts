import { expect } from '../expect.ts';
import { pause } from './scenario.ts';
import type { RunnerScenario } from './scenario.ts';

export const waitEverywhere: RunnerScenario = {
  name: 'wait gives the same exit before and after the end, here and in a fresh process, with and without the handle',
  async run(world) {
    const { runner: fresh = world.runner } = await world.reopen();
    const job = await world.start('sleep 0.5; echo done; exit 9');
    const refs = [job.ref, { key: job.key }];
    const early = await Promise.all([world.runner, fresh].flatMap((runner) => refs.map((ref) => runner.wait(ref, world.ask))));
    const late = await Promise.all(refs.map((ref) => fresh.wait(ref, world.ask)));
    for (const exit of [...early, ...late]) expect(exit).toMatchObject({ kind: 'exited', code: 9 });
    expect((await world.job(fresh, { key: job.key }).output()).stdout.toString()).toBe('done\n');
  },
};

export const waitUnknown: RunnerScenario = {
  name: 'a job that nobody knows is lost, with evidence',
  async run(world) {
    const exit = await world.runner.wait({ key: world.newKey() }, world.ask);
    expect(exit.kind).toBe('lost');
    expect(exit.kind === 'lost' && exit.evidence).not.toBe('');
  },
};

export const signalsEndCalls: RunnerScenario = {
  name: 'a signal ends wait and logs, never the job',
  async run(world) {
    const job = await world.start('sleep 1; echo still here; exit 6');
    const controller = new AbortController();
    const ask = { ...world.ask, signal: controller.signal };
    const calls = Promise.allSettled([
      world.runner.wait(job.ref, ask),
      (async () => {
        for await (const chunk of world.runner.logs(job.ref, undefined, ask)) void chunk;
      })(),
    ]);
    await pause(200);
    const before = Date.now();
    controller.abort(new Error('enough'));
    expect((await calls).map((call) => call.status)).toEqual(['rejected', 'rejected']);
    expect(Date.now() - before).toBeLessThan(700);
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 6 });
    expect((await job.output()).stdout.toString()).toBe('still here\n');
  },
};

export const inventory: RunnerScenario = {
  name: 'find lists the jobs of one owner',
  async run(world) {
    const job = await world.start('sleep 30');
    const stranger = await world.start('sleep 30', { owner: `${world.owner}-other` });
    const seen = [];
    for await (const one of world.runner.find(world.owner, world.ask)) seen.push(one);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ key: job.key, alive: true });
    await Promise.all([job, stranger].map((one) => one.stop('force')));
    if (seen[0]) expect((await world.runner.wait(seen[0], world.ask)).kind).toBe('signalled');
    await stranger.exit();
    for await (const one of world.runner.find(world.owner, world.ask)) expect(one.alive).toBe(false);
  },
};
