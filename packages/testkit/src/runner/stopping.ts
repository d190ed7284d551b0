import { expect } from '../expect.ts';
import { needsLiveLogs, needsLivePlace, needsPlace, pause } from './scenario.ts';
import type { RunnerScenario } from './scenario.ts';
import type { RunnerWorld } from './world.ts';

const stubborn = "trap '' TERM; echo ready; while :; do sleep 0.1; done";

export const stopAsk: RunnerScenario = {
  name: 'ask lets a job end itself',
  unless: needsLiveLogs,
  async run(world) {
    const job = await world.start("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.1; done");
    await job.says('ready');
    await job.stop('ask');
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 5 });
    expect((await job.output()).stdout.toString()).toBe('ready\nbye\n');
  },
};

export const stopForce: RunnerScenario = {
  name: 'force ends what ignores asking, from a fresh process too',
  unless: needsLiveLogs,
  async run(world) {
    const job = await world.start(stubborn);
    await job.says('ready');
    await job.stop('ask');
    const state = await Promise.race([job.exit().then(() => 'ended'), pause(500).then(() => 'running')]);
    expect(state).toBe('running');
    const { runner = world.runner } = await world.reopen();
    await runner.stop({ key: job.key }, 'force', world.call(job.key));
    const exit = await job.exit();
    if (world.capabilities.exactSignal) expect(exit).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
    else expect(['signalled SIGKILL', 'exited 137']).toContain(Object.values(exit).slice(0, 2).join(' '));
  },
};

/** Whether a process that writes to the file `beat` is still at it. */
async function beats(world: RunnerWorld): Promise<boolean> {
  const counts = (await world.print('wc -c < beat; sleep 0.6; wc -c < beat')).trim().split(/\s+/);
  expect(Number(counts[0])).toBeGreaterThan(0);
  return counts[0] !== counts[1];
}

const beat = "trap '' TERM; while :; do echo x >> beat; sleep 0.1; done";

export const stopGroup: RunnerScenario = {
  name: 'force ends every process of the job: children, grandchildren, and one that left the session',
  unless: needsLivePlace,
  async run(world) {
    const job = await world.start(`sh -c "${beat}" & (setsid sh -c "${beat}" &) ; sleep 0.5; echo ready; wait`);
    await job.says('ready');
    expect(await beats(world)).toBe(true);
    await job.stop('force');
    await job.exit();
    expect(await beats(world)).toBe(false);
  },
};

export const background: RunnerScenario = {
  name: 'what a job leaves in the background is gone when wait says so, and the exit is that of its main process',
  unless: needsPlace,
  async run(world) {
    const job = await world.start(`(setsid sh -c "${beat}" &) ; sh -c "${beat}" & sleep 0.4; exit 8`, { grace: 300 });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 8 });
    expect(await beats(world)).toBe(false);
  },
};

export const stopStopped: RunnerScenario = {
  name: 'a job that was suspended ends by force',
  unless: needsLiveLogs,
  async run(world) {
    const job = await world.start('echo ready; kill -STOP $$; sleep 30');
    await job.says('ready');
    await pause(100);
    await job.stop('force');
    expect((await job.exit()).kind).not.toBe('lost');
  },
};

export const stopAgain: RunnerScenario = {
  name: 'stopping twice, after the end, or what nobody knows is fine',
  async run(world) {
    const job = await world.start('sleep 30');
    await Promise.all([job.stop('force'), job.stop('force')]);
    await job.exit();
    await job.stop('ask');
    await job.stop('force');
    const unknown = world.newKey();
    await expect(world.runner.stop({ key: unknown }, 'force', world.call(unknown))).resolves.toBeUndefined();
  },
};

export const stopFirst: RunnerScenario = {
  name: 'a job that was stopped before it was started does not run',
  unless: needsPlace,
  async run(world) {
    const key = world.newKey();
    await world.runner.stop({ key }, 'ask', world.call(key));
    const handle = await world.runner.start(world.spec({ script: 'echo x >> effects' }), world.call(key));
    expect((await world.runner.wait({ key, handle }, world.ask)).kind).not.toBe('exited');
    expect(await world.print('cat effects 2>/dev/null; true')).toBe('');
  },
};
