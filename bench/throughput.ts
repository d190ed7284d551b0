import { join } from 'node:path';
import type { Benchmark, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';
import { startWorker } from './worker.ts';

/** Every run is recorded, leased a place, supervised, captured, and given back; bare spawn only waits for the end. */
export const throughput: Benchmark = {
  name: 'throughput',
  async measure(setup) {
    const common = {
      what: `${counts(setup).count} × true, 8 wide, SDK`,
      unit: 'runs/s',
      better: 'higher',
      judged: 'ratio',
    } as const;
    return [
      { name: 'throughput', against: 'child_process.spawn', ...common, bar: 0.5, ...(await rates(setup, 'pipe')) },
      { name: 'throughput, no pipes', against: "spawn, stdio: 'ignore'", ...common, ...(await rates(setup, 'ignore')) },
    ];
  },
};

function counts({ quick }: Setup) {
  return quick ? { count: 100, width: 8 } : { count: 500, width: 8 };
}

async function rates(setup: Setup, stdio: 'pipe' | 'ignore') {
  const round = counts(setup);
  await using bare = startWorker('spawn.ts', ['total', stdio, 'true']);
  await using sdk = startWorker('sdk.ts', [setup.sdk, join(setup.directory, `throughput-${stdio}`), 'total', 'true']);
  const perSecond = ([ms = Number.NaN]: readonly number[]) => (round.count / ms) * 1000;
  const sides = {
    baseline: async () => perSecond(await bare.ask(round)),
    ours: async () => perSecond(await sdk.ask(round)),
  };
  return compare(await inTurns(sides, setup.quick ? 3 : 7));
}
