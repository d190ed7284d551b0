// What `provider-ephemeral` costs: a job on the public contract's Runner in another process, against the same job on the same
// provider in this one. Both end when the exit and the whole output are known.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import type { Handle, Provider, Runner } from '@errand/contract';
import { jobRunner, jobServices } from '@errand/plugin';
import { localProvider } from '@errand/provider-local';
import type { Benchmark } from './result.ts';
import { inTurns, percentile } from './sampling.ts';

const ask = { signal: new AbortController().signal, log: () => undefined };
const common = { owner: 'bench', env: {}, secretEnv: {}, resources: {}, grace: 1_000, labels: {}, options: {} };

export const ephemeral: Benchmark = {
  name: 'ephemeral',
  async measure(setup) {
    const path = join(setup.directory, 'jobs.sock');
    const child = fork(join(import.meta.dirname, 'programs/jobs.ts'), [path, join(setup.directory, 'jobs-home')]);
    const ended = once(child, 'exit');
    const client = new Client(`unix:${path}`, credentials.createInsecure());
    await using near = await localProvider.open({ home: join(setup.directory, 'near-home'), signal: ask.signal });
    try {
      await once(child, 'message');
      const far = jobRunner({ client, name: 'bench', metadata: undefined }, new Set(jobServices));
      const sides = { baseline: () => nearJob(near), ours: () => timed(() => job(far)) };
      const { baseline, ours } = await inTurns(sides, setup.quick ? 30 : 200, 5);
      const row = { unit: 'ms', better: 'lower', judged: 'ours', against: 'the same provider in process' } as const;
      const added = percentile(ours, 50) - percentile(baseline, 50);
      return [
        {
          ...row,
          name: 'ephemeral job',
          what: 'a job that exits at once, p50',
          baseline: percentile(baseline, 50),
          ours: percentile(ours, 50),
        },
        { ...row, name: 'ephemeral adds', what: 'a job on the public Runner, more at p50', bar: 10, ours: added },
      ];
    } finally {
      client.close();
      child.disconnect();
      await ended;
    }
  },
};

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function nearJob({ host, runner }: Provider): Promise<number> {
  if (!host || !runner) throw new Error('a facet is missing');
  const key = `place-${randomUUID()}`;
  const call = { ...ask, key, epoch: 1 };
  // Never given back, as on the other side: a place that an earlier job has left would be had for less.
  return timed(async () => job(runner, await host.acquire({ ...common, expiresAt: Date.now() + 600_000 }, call)));
}

async function job(runner: Runner, place?: Handle<'place'>): Promise<void> {
  const key = `run-${randomUUID()}`;
  const spec = { ...common, command: { argv: ['true'] }, ...(place && { place }) };
  const ref = { key, handle: await runner.start(spec, { ...ask, key, epoch: 1, secret: async () => '' }) };
  const reading = (async () => {
    for await (const chunk of runner.logs(ref, undefined, ask)) void chunk;
  })();
  const [exit] = await Promise.all([runner.wait(ref, ask), reading]);
  if (exit.kind !== 'exited' || exit.code !== 0) throw new Error(`the job ended as ${JSON.stringify(exit)}`);
}
