import { join } from 'node:path';
import type { Benchmark } from './result.ts';
import { compare, inTurns } from './sampling.ts';
import { startWorker } from './worker.ts';

/** What a pipeline of small steps feels like. */
export const steps: Benchmark = {
  name: 'steps',
  async measure(setup) {
    const round = { count: 40, width: 1 };
    await using bare = startWorker('spawn.ts', ['total', 'pipe', 'true']);
    await using sdk = startWorker('sdk.ts', [setup.sdk, join(setup.directory, 'steps'), 'total', 'true']);
    const sides = { baseline: async () => seconds(await bare.ask(round)), ours: async () => seconds(await sdk.ask(round)) };
    const samples = await inTurns(sides, setup.quick ? 3 : 9);
    const against = 'child_process.spawn';
    return [
      {
        name: 'steps',
        what: '40 × true, one by one, SDK',
        against,
        unit: 's',
        better: 'lower',
        judged: 'ours',
        ...compare(samples),
      },
    ];
  },
};

function seconds([ms = Number.NaN]: readonly number[]): number {
  return ms / 1000;
}
