import { expect } from '../expect.ts';
import { needsPlace } from './scenario.ts';
import type { RunnerScenario } from './scenario.ts';

const leaveTrace = { script: 'echo x >> effects; sleep 0.3' };

export const startTwice: RunnerScenario = {
  name: 'the same key twice has one effect, while it runs and after it ended',
  unless: needsPlace,
  async run(world) {
    const key = world.newKey();
    const first = await world.runner.start(world.spec(leaveTrace), world.call(key));
    const second = await world.runner.start(world.spec(leaveTrace), world.call(key));
    expect(second).toEqual(first);
    expect(await world.runner.wait({ key, handle: second }, world.ask)).toMatchObject({ kind: 'exited', code: 0 });
    const third = await world.runner.start(world.spec(leaveTrace), world.call(key));
    expect(await world.runner.wait({ key, handle: third }, world.ask)).toMatchObject({ kind: 'exited', code: 0 });
    expect(await world.print('cat effects')).toBe('x\n');
  },
};

export const startTogether: RunnerScenario = {
  name: 'the same key at the same time from two processes has one effect',
  unless: needsPlace,
  async run(world) {
    const { runner } = await world.reopen();
    const key = world.newKey();
    const runners = [world.runner, runner ?? world.runner, world.runner, runner ?? world.runner];
    const handles = await Promise.all(runners.map((one) => one.start(world.spec(leaveTrace), world.call(key))));
    expect(new Set(handles.map((handle) => JSON.stringify(handle))).size).toBe(1);
    for (const one of runners) expect(await one.wait({ key }, world.ask)).toMatchObject({ kind: 'exited', code: 0 });
    expect(await world.print('cat effects')).toBe('x\n');
  },
};

export const handlesAreData: RunnerScenario = {
  name: 'a handle survives JSON and holds no secret',
  async run(world) {
    const key = world.newKey();
    const handle = await world.runner.start(world.spec({ script: 'exit 4' }), world.call(key));
    const copy = JSON.parse(JSON.stringify(handle)) as typeof handle;
    expect(copy).toEqual(handle);
    expect(await world.runner.wait({ key, handle: copy }, world.ask)).toMatchObject({ kind: 'exited', code: 4 });
  },
};
