import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { begin, errand, textOf, time } from './command.ts';
import type { Benchmark, Setup } from './result.ts';
import { compare, inTurns } from './sampling.ts';

/**
 * `errand run` is killed (SIGKILL) while its job runs, and the job ends while nobody watches. Measured is
 * `errand wait` in a new process, which takes the run over, keeps the rest of its output, gives its place back and
 * exits with the job's own code.
 */
export const recovery: Benchmark = {
  name: 'recovery',
  async measure(setup) {
    let count = 0;
    const sides = {
      baseline: () => time({ argv: [process.execPath, '-e', '0'], cwd: setup.directory }),
      ours: () => recover(setup, `recovery-${count++}`),
    };
    const samples = await inTurns(sides, setup.quick ? 3 : 9);
    const what = 'errand wait, after kill -9 of errand run';
    return [{ name: 'recovery', what, against: 'node -e 0', unit: 'ms', better: 'lower', judged: 'ours', ...compare(samples) }];
  },
};

async function recover(setup: Setup, home: string): Promise<number> {
  const started = join(setup.directory, `${home}.started`);
  const ended = join(setup.directory, `${home}.ended`);
  const script = `touch '${started}'; sleep 0.2; echo done; touch '${ended}'; exit 7`;
  const { child, ended: killed } = begin(errand(setup, home, ['run', '--script', script]));
  const expected = killed.catch(() => undefined);
  await appears(started);
  child.kill('SIGKILL');
  await expected;
  await appears(ended);
  // The supervisor writes the exit down a moment after the job's last act.
  await sleep(100);
  const runs = await textOf(errand(setup, home, ['runs', '--json']));
  const { id } = JSON.parse(runs.trim().split('\n').at(-1) ?? '') as { readonly id: string };
  return time({ ...errand(setup, home, ['wait', '--quiet', id]), exits: 7 });
}

async function appears(path: string): Promise<void> {
  for (const until = performance.now() + 30_000; !existsSync(path); await sleep(5)) {
    if (performance.now() > until) throw new Error(`${path} did not appear within 30 s`);
  }
}
