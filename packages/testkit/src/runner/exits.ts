import { expect } from '../expect.ts';
import { needsPlace } from './scenario.ts';
import type { RunnerScenario } from './scenario.ts';

export const exitCodes: RunnerScenario = {
  name: 'exit codes are exact, those that look like signals too',
  async run(world) {
    for (const code of [0, 1, 2, 126, 127, 137, 143, 255]) {
      const job = await world.start(`exit ${code}`);
      expect(await job.exit()).toMatchObject({ kind: 'exited', code });
    }
  },
};

export const signalEnds: RunnerScenario = {
  name: 'an end by a signal is told apart from an exit',
  unless: (has) => (has.exactSignal ? undefined : 'it reports an end by signal n as exit 128+n'),
  async run(world) {
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSEGV']) {
      const job = await world.start(`kill -${signal.slice(3)} $$; sleep 5`);
      expect(await job.exit()).toMatchObject({ kind: 'signalled', signal });
    }
  },
};

export const notFound: RunnerScenario = {
  name: 'a program that is not there is exit 127 with a line on stderr',
  async run(world) {
    const job = await world.start({ argv: ['errand-no-such-program', 'x'] });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 127 });
    const { stdout, stderr } = await job.output();
    expect(Buffer.concat([stdout, stderr]).toString()).toContain('errand-no-such-program');
  },
};

export const notExecutable: RunnerScenario = {
  name: 'a file that cannot be executed is exit 126 with a line on stderr',
  unless: needsPlace,
  async run(world) {
    await world.print('echo data > plain; chmod 600 plain');
    const job = await world.start({ argv: ['./plain'] });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 126 });
    const { stdout, stderr } = await job.output();
    expect(Buffer.concat([stdout, stderr]).toString()).toContain('plain');
  },
};

export const times: RunnerScenario = {
  name: 'start and end times are plausible',
  async run(world) {
    const before = Date.now();
    const exit = await (await world.start('sleep 0.3')).exit();
    // Clocks of other machines differ; durations do not.
    if (exit.startedAt !== undefined && exit.endedAt !== undefined) {
      expect(exit.endedAt - exit.startedAt).toBeGreaterThan(200);
      expect(exit.endedAt - exit.startedAt).toBeLessThanOrEqual(Date.now() - before + 1_000);
    }
    expect(exit).toMatchObject({ kind: 'exited', code: 0 });
  },
};
