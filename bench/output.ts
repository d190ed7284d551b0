import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { begin, errand, time } from './command.ts';
import type { Command } from './command.ts';
import type { Benchmark, Setup } from './result.ts';
import { compare, inTurns, median } from './sampling.ts';

const mebi = 1024 * 1024;

/** Both sides end in a file. Ours writes the bytes once more on the way: where the job leaves them, which the log links to. */
export const output: Benchmark = {
  name: 'output',
  async measure(setup) {
    const size = (setup.quick ? 128 : 1024) * mebi;
    const peaks: number[] = [];
    const rates = await inTurns({ baseline: () => pipe(setup, size), ours: () => ours(setup, size, peaks) }, setup.quick ? 2 : 5);
    const idle = await idlePeak(setup);
    const what = `${size / mebi} MiB of output, errand run > file`;
    return [
      {
        name: 'output',
        what,
        against: 'cmd | cat > file',
        unit: 'MiB/s',
        better: 'higher',
        judged: 'ratio',
        bar: 0.3,
        ...compare(rates),
      },
      {
        name: 'output, memory',
        what: `peak RSS above idle at ${size / mebi} MiB`,
        unit: 'MB',
        better: 'lower',
        judged: 'ours',
        bar: 150,
        ours: (median(peaks) - idle) / 1e6,
      },
    ];
  },
};

const source = (size: number) => ['head', '-c', String(size), '/dev/zero'];

async function pipe(setup: Setup, size: number): Promise<number> {
  const path = join(setup.directory, 'piped');
  const script = `${source(size).join(' ')} | cat > "$1"`;
  const ms = await time({ argv: ['sh', '-c', script, 'sh', path], cwd: setup.directory });
  await expectSize(path, size);
  return (size / mebi / ms) * 1000;
}

async function ours(setup: Setup, size: number, peaks: number[]): Promise<number> {
  const path = join(setup.directory, 'shown');
  // A gibibyte of log for each round is kept otherwise.
  await rm(join(setup.directory, 'output'), { recursive: true, force: true });
  await time(errand(setup, 'output', ['run', '--', 'true']));
  const file = openSync(path, 'w');
  try {
    const command = errand(setup, 'output', ['run', '--', ...source(size)]);
    const { ms, peak } = await watched({ ...command, stdio: ['ignore', file, 'inherit'] });
    await expectSize(path, size);
    peaks.push(peak);
    return (size / mebi / ms) * 1000;
  } finally {
    closeSync(file);
  }
}

/** What is deleted soon is not written back, so neither side waits for the other's dirty pages. */
async function expectSize(path: string, size: number): Promise<void> {
  const got = statSync(path).size;
  await rm(path);
  if (got !== size) throw new Error(`${path} has ${got} bytes instead of ${size}`);
}

async function idlePeak(setup: Setup): Promise<number> {
  return (await watched(errand(setup, 'output', ['run', '--', 'sleep', '1']))).peak;
}

/** The kernel keeps the peak, so only what comes after the last look is missed. */
async function watched(command: Command): Promise<{ readonly ms: number; readonly peak: number }> {
  const start = performance.now();
  const { child, ended } = begin(command);
  let peak = 0;
  const look = setInterval(() => (peak = Math.max(peak, highWater(child.pid))), 10);
  try {
    await ended;
  } finally {
    clearInterval(look);
  }
  return { ms: performance.now() - start, peak };
}

function highWater(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
