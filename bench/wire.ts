import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import type { Runner } from '@errand/contract';
import { connectProvider } from '@errand/plugin';
import type { Benchmark, Setup } from './result.ts';
import { median, percentile } from './sampling.ts';

const mebi = 1024 * 1024;
const ask = { signal: new AbortController().signal, log: () => undefined };
const call = { ...ask, key: 'job', epoch: 1 };

/** What the process boundary costs: calls that do nothing, and output that comes from nowhere. */
export const wire: Benchmark = {
  name: 'wire',
  async measure(setup) {
    const size = (setup.quick ? 128 : 512) * mebi;
    const path = join(setup.directory, 'wire.sock');
    const child = fork(join(import.meta.dirname, 'programs/served.ts'), [path, String(size)]);
    const ended = once(child, 'exit');
    try {
      await once(child, 'message');
      const address = `unix:${path}`;
      await using provider = await connectProvider({ name: 'bench', address, credentials: credentials.createInsecure() });
      if (!provider.runner) throw new Error('the runner is missing');
      return await measureAll(provider.runner, setup, size);
    } finally {
      child.disconnect();
      await ended;
    }
  },
};

async function measureAll(runner: Runner, setup: Setup, size: number) {
  const count = setup.quick ? 2_000 : 10_000;
  await wide(runner, 2_000, 32);
  const each = await oneByOne(runner, count);
  const rates: number[] = [];
  for (let round = 0; round < 5; round++) rates.push((count / (await wide(runner, count, 32))) * 1000);
  const flow: number[] = [];
  for (let round = 0; round < 3; round++) flow.push(await outputRate(runner, size));
  const served = { unit: 'ms', better: 'lower', judged: 'ours' } as const;
  return [
    { name: 'wire p50', what: 'a call over a unix socket', ...served, bar: 1, ours: percentile(each, 50) },
    { name: 'wire p99', what: 'a call over a unix socket', ...served, ours: percentile(each, 99) },
    {
      ...served,
      name: 'wire, wide',
      what: '32 calls in flight',
      unit: 'calls/s',
      better: 'higher',
      bar: 5_000,
      ours: median(rates),
    },
    { ...served, name: 'wire, output', what: `${size / mebi} MiB of log`, unit: 'MiB/s', better: 'higher', ours: median(flow) },
  ] as const;
}

async function oneByOne(runner: Runner, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const begin = performance.now();
    await runner.stop({ key: 'job' }, 'ask', call);
    times.push(performance.now() - begin);
  }
  return times;
}

/** Milliseconds for all of them. */
async function wide(runner: Runner, count: number, width: number): Promise<number> {
  const begin = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await runner.stop({ key: 'job' }, 'ask', call);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return performance.now() - begin;
}

async function outputRate(runner: Runner, size: number): Promise<number> {
  const begin = performance.now();
  let got = 0;
  for await (const chunk of runner.logs({ key: 'job' }, undefined, ask)) got += chunk.bytes.length;
  if (got !== size) throw new Error(`${got} bytes of output came instead of ${size}`);
  return (size / mebi / (performance.now() - begin)) * 1000;
}
