import { join } from 'node:path';
import type { Benchmark } from './result.ts';
import { inTurns, percentile } from './sampling.ts';
import { startWorker } from './worker.ts';

/**
 * From the call of `runtime.run` to the job's own first act: it prints the time. The run's `startedAt` would be kinder,
 * because it does not count the exec of the program; the time that the job sees is the one that its user waits for.
 */
export const latency: Benchmark = {
  name: 'latency',
  async measure(setup) {
    const clock = ['date', '+%s%N'];
    await using bare = startWorker('spawn.ts', ['starts', 'pipe', ...clock]);
    await using sdk = startWorker('sdk.ts', [setup.sdk, join(setup.directory, 'latency'), 'starts', ...clock]);
    const round = { count: 20, width: 1 };
    const samples = { baseline: [] as number[], ours: [] as number[] };
    const keep = (side: 'baseline' | 'ours', values: readonly number[]) => samples[side].push(...values);
    const turns = {
      baseline: async () => keep('baseline', await bare.ask(round)),
      ours: async () => keep('ours', await sdk.ask(round)),
    };
    await turns.baseline();
    await turns.ours();
    samples.baseline.length = samples.ours.length = 0;
    await inTurns(turns, setup.quick ? 2 : 10, 0);

    return [50, 99].map((percent) => {
      const [baseline, ours] = [percentile(samples.baseline, percent), percentile(samples.ours, percent)];
      const common = {
        what: `submit to start, p${percent}, SDK`,
        against: 'child_process.spawn',
        unit: 'ms',
        better: 'lower',
      } as const;
      const row = { name: `latency p${percent}`, ...common, baseline, ours, ratio: ours / baseline, judged: 'ours' } as const;
      return percent === 50 ? { ...row, bar: 10 } : row;
    });
  },
};
