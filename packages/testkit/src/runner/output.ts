import { createHash } from 'node:crypto';
import { expect } from '../expect.ts';
import { needsLiveLogs, needsPlace, pause } from './scenario.ts';
import type { RunnerScenario } from './scenario.ts';
import { gather, joinStream, secretReference } from './world.ts';

export const split: RunnerScenario = {
  name: 'stdout and stderr are told apart',
  unless: (has) => (has.streamSplit ? undefined : 'it gives both streams as one'),
  async run(world) {
    const { stdout, stderr } = await (await world.start('echo one; echo two >&2; echo three; echo four >&2')).output();
    expect([stdout.toString(), stderr.toString()]).toEqual(['one\nthree\n', 'two\nfour\n']);
  },
};

export const burst: RunnerScenario = {
  name: 'a burst of 1 MB right before the end is all there',
  async run(world) {
    const job = await world.start(
      'i=0; while [ $i -lt 10000 ]; do echo "line $i ------------------------------------------------------------------------------------"; i=$((i+1)); done',
    );
    const lines = (await job.output()).stdout.toString().trimEnd().split('\n');
    expect(lines).toHaveLength(10_000);
    expect(lines.every((line, index) => line.startsWith(`line ${index} `))).toBe(true);
  },
};

export const longLine: RunnerScenario = {
  name: 'a line of 300 KB and an end without newline are unchanged',
  async run(world) {
    const { stdout } = await (await world.start("head -c 300000 /dev/zero | tr '\\000' x; printf 'no newline'")).output();
    expect(stdout.length).toBe(300_010);
    expect(stdout.toString()).toBe(`${'x'.repeat(300_000)}no newline`);
  },
};

export const randomBytes: RunnerScenario = {
  name: '5 MB of random bytes have the same SHA-256 on both sides',
  unless: needsPlace,
  async run(world) {
    await world.print('head -c 5000000 /dev/urandom > data');
    const expected = (await world.print('sha256sum data || shasum -a 256 data')).slice(0, 64);
    const { stdout } = await (await world.start('cat data')).output();
    expect(stdout.length).toBe(5_000_000);
    expect(createHash('sha256').update(stdout).digest('hex')).toBe(expected);
  },
};

export const resume: RunnerScenario = {
  name: 'following again after any cursor gives every later byte once',
  async run(world) {
    const job = await world.start('i=0; while [ $i -lt 60 ]; do echo "out $i"; echo "err $i" >&2; sleep 0.01; i=$((i+1)); done');
    const whole = await job.output();
    expect(joinStream(whole.chunks, 'stdout').toString().split('\n')).toHaveLength(61);
    const { runner } = await world.reopen();
    for (let index = 0; index < whole.chunks.length; index += 7) {
      const rest = await gather((runner ?? world.runner).logs(job.ref, whole.chunks[index]?.cursor, world.ask));
      for (const stream of ['stdout', 'stderr'] as const) {
        const before = joinStream(whole.chunks.slice(0, index + 1), stream);
        const again = joinStream(rest.chunks, stream);
        expect(Buffer.concat([before, again]).equals(joinStream(whole.chunks, stream))).toBe(true);
      }
    }
  },
};

export const reopened: RunnerScenario = {
  name: 'opening /dev/stdout and /dev/stderr anew adds to the output, with and without secrets',
  async run(world) {
    const text = 'echo one; echo two > /dev/stdout; echo three; (echo e1; echo e2 > /dev/stderr; echo e3) >&2';
    const jobs = [await world.start(text), await world.start(text, { secretEnv: { TOKEN: secretReference } })];
    for (const job of jobs) {
      const { stdout, stderr } = await job.output();
      expect(stdout.toString()).toBe('one\ntwo\nthree\n');
      expect(stderr.toString()).toBe('e1\ne2\ne3\n');
    }
  },
};

export const afterEnd: RunnerScenario = {
  name: 'logs after the end are whole, as often as they are asked for',
  async run(world) {
    const job = await world.start('echo whole; echo story >&2');
    await job.exit();
    for (let time = 0; time < 3; time++) {
      const { stdout, stderr } = await job.output();
      expect(Buffer.concat([stdout, stderr]).toString()).toBe('whole\nstory\n');
    }
    const { chunks } = await job.output();
    expect((await gather(world.runner.logs(job.ref, chunks.at(-1)?.cursor, world.ask))).chunks).toEqual([]);
  },
};

export const fastEnd: RunnerScenario = {
  name: 'a job that ends at once loses none of its output',
  async run(world) {
    const jobs = await Promise.all(Array.from({ length: 10 }, (_, index) => world.start(`echo fast ${index}`)));
    const outputs = await Promise.all(jobs.map((job) => job.output()));
    expect(outputs.map((output) => output.stdout.toString())).toEqual(jobs.map((_, index) => `fast ${index}\n`));
  },
};

export const live: RunnerScenario = {
  name: 'output is seen while the job runs',
  unless: needsLiveLogs,
  async run(world) {
    const job = await world.start('echo first; sleep 1.5; echo last');
    await job.says('first');
    const state = await Promise.race([job.exit().then(() => 'ended'), pause(100).then(() => 'running')]);
    expect(state).toBe('running');
    expect((await job.output()).stdout.toString()).toBe('first\nlast\n');
  },
};
