import { errand, time } from './command.ts';
import type { Benchmark, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';

/** The data directory and the compile cache are there already, as for everybody after the first run of a day. */
export const startUp: Benchmark = {
  name: 'start-up',
  async measure(setup) {
    const against = 'node -e 0';
    const common = { against, unit: 'ms', better: 'lower', judged: 'ratio' } as const;
    return [
      { name: 'start-up', what: 'errand run -- true', ...common, bar: 5, ...(await against0(setup, ['run', '--', 'true'])) },
      { name: 'start-up, no run', what: 'errand --version', ...common, ...(await against0(setup, ['--version'])) },
    ];
  },
};

async function against0(setup: Setup, args: readonly string[]) {
  const sides = {
    baseline: () => time({ argv: [process.execPath, '-e', '0'], cwd: setup.directory }),
    ours: () => time(errand(setup, 'start-up', args)),
  };
  return compare(await inTurns(sides, setup.quick ? 8 : 40, 3));
}
