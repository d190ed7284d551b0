// Jobs on plugins of the public contract that lose replies, know no names, show their logs late, or cannot cancel.
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { Ref } from '@errand/contract';
import { JobState } from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { fakeJobs } from '../fake-jobs.ts';
import type { FakeJob, FakeJobs } from '../fake-jobs.ts';
import { throughJobs } from '../jobs.ts';
import { all, ask, call, jobSpec } from '../stub.ts';

const patience = { firstPause: 5, longestPause: 20, unknown: 100, answer: 200 };

async function started(fake: FakeJobs) {
  const provider = await throughJobs(fake.add, { patience });
  const handle = await provider.runner.start(jobSpec, call({ key: 'run-1' }));
  const [job] = fake.jobs.values();
  if (!job) throw new Error('no job');
  const ref: Ref<'job'> = { key: 'run-1', handle };
  return { provider, runner: provider.runner, job, ref, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

function finish(job: FakeJob, state = JobState.SUCCEEDED, exitCode = 0, message = ''): void {
  Object.assign(job, { state, exitCode, message });
}

test('what is asked for is said in the words of the contract, and a secret goes as its reference', async () => {
  const fake = fakeJobs();
  await using provider = await throughJobs(fake.add, { patience });
  const target = { name: 'web', type: 'infra.container_service', id: 'app-7' };
  const spec = {
    ...jobSpec,
    command: { argv: ['echo', 'two words', '$X'] },
    env: { A: '1' },
    secretEnv: { TOKEN: 'secret://env/T' },
    image: 'alpine',
    timeout: 1_500,
    grace: 2_000,
    options: { target },
  };
  const handle = await provider.runner.start(spec, call({ key: 'run-7', secret: async () => 'plain-value' }));
  expect([...fake.jobs.values()][0]?.spec).toMatchObject({
    name: 'errand-run-7',
    kind: 'EPHEMERAL',
    image: 'alpine',
    runCommand: `echo 'two words' '$X'`,
    envVars: { A: '1' },
    envVarsSecret: { TOKEN: 'secret://env/T' },
    termination: { gracePeriodSeconds: 2 },
    timeoutSeconds: 2,
    target: { name: 'web', type: 'infra.container_service', providerId: 'app-7' },
  });
  expect(JSON.stringify([...fake.jobs.values()].map((job) => job.spec))).not.toContain('plain-value');
  expect(handle).toMatchObject({ provider: 'tested', state: { id: 'id-1', name: 'errand-run-7', metadata: { region: 'here' } } });
});

test.each(['refused', 'doubled'] as const)(
  'a start whose answer was lost is adopted by its name, one more is %s',
  async (twice) => {
    const fake = fakeJobs();
    fake.twice = twice;
    fake.trouble.set('RunJob', ['after']);
    await using provider = await throughJobs(fake.add, { patience });
    const start = () => provider.runner.start(jobSpec, call({ key: 'run-1' }));
    await expect(start()).rejects.toMatchObject({ code: 'provider/unreachable' });
    const second = await start();
    expect(await start()).toEqual(second);
    expect(fake.jobs.size).toBe(1);
    expect(second.state).toMatchObject({ id: 'id-1' });
  },
);

test('where looking by name fails for the moment, the refusal of a second job leads to the first', async () => {
  const fake = fakeJobs();
  await using it = await started(fake);
  fake.trouble.set('JobStatus', [status.UNAVAILABLE]);
  expect(await it.runner.start(jobSpec, call({ key: 'run-1' }))).toEqual(it.ref.handle);
  expect(fake.jobs.size).toBe(1);
});

test.each([
  [JobState.SUCCEEDED, 0, { kind: 'exited', code: 0 }],
  [JobState.FAILED, 3, { kind: 'exited', code: 3 }],
  [JobState.FAILED, 0, { kind: 'exited', code: 1 }],
  [JobState.FAILED, -1, { kind: 'exited', code: 1 }],
  [JobState.CANCELLED, 137, { kind: 'exited', code: 137 }],
  [JobState.CANCELLED, 0, { kind: 'lost', evidence: 'the provider says that the job was cancelled: by hand' }],
])('state %i with exit code %i', async (state, exitCode, exit) => {
  await using it = await started(fakeJobs());
  finish(it.job, state, exitCode, 'by hand');
  const said: string[] = [];
  expect(await it.runner.wait(it.ref, ask({ log: (line) => said.push(line) }))).toEqual(exit);
  expect(said).toEqual(['by hand']);
});

test('passing trouble is waited out; trouble that stays is told, typed and in time', async () => {
  const fake = fakeJobs();
  await using it = await started(fake);
  fake.trouble.set('JobStatus', [status.UNAVAILABLE, 'hang', status.UNKNOWN, status.RESOURCE_EXHAUSTED]);
  setTimeout(() => finish(it.job), 50);
  expect(await it.runner.wait(it.ref, ask())).toEqual({ kind: 'exited', code: 0 });
  fake.trouble.set(
    'JobStatus',
    Array.from({ length: 9 }, () => 'hang' as const),
  );
  await expect(it.runner.wait(it.ref, ask())).rejects.toMatchObject({ code: 'provider/timeout' });
  fake.trouble.set('JobStatus', [status.PERMISSION_DENIED]);
  await expect(it.runner.wait(it.ref, ask())).rejects.toMatchObject({ code: 'provider/auth' });
});

test('a job that the plugin does not know yet is waited for; one that stays unknown is lost', async () => {
  const fake = fakeJobs();
  await using it = await started(fake);
  finish(it.job);
  fake.trouble.set('JobStatus', [status.NOT_FOUND, status.NOT_FOUND]);
  expect(await it.runner.wait(it.ref, ask())).toEqual({ kind: 'exited', code: 0 });
  fake.jobs.clear();
  expect(await it.runner.wait(it.ref, ask())).toMatchObject({ kind: 'lost' });
});

test('a log that is only ever given from its beginning is still every byte once, also in another order', async () => {
  const fake = fakeJobs();
  await using it = await started(fake);
  fake.trouble.set('JobLogs', [status.FAILED_PRECONDITION, 'after', status.UNAVAILABLE]);
  const { log } = it.job;
  const steps = [
    () => log.push(['stdout', 'one\n'], ['app/stderr', 'e1\n']),
    () => log.push(['stdout', 'tw'], ['stdout', 'o\n']),
    () =>
      (it.job.log = [
        ['app/stderr', 'e1\n'],
        ['stdout', 'one\ntwo\n'],
      ]),
    () =>
      (it.job.log = [
        ['app/stderr', 'e1\ne2\n'],
        ['stdout', 'one\ntwo\nthree\n'],
      ]),
    () => finish(it.job),
  ];
  const timer = setInterval(() => steps.shift()?.(), 40);
  const chunks = await all(it.runner.logs(it.ref, undefined, ask()));
  clearInterval(timer);
  const text = (stream: string) =>
    chunks
      .filter((chunk) => chunk.stream === stream)
      .map((chunk) => Buffer.from(chunk.bytes).toString())
      .join('');
  expect([text('stdout'), text('stderr')]).toEqual(['one\ntwo\nthree\n', 'e1\ne2\n']);
  for (const [index, { cursor }] of chunks.entries()) {
    const rest = await all(it.runner.logs(it.ref, cursor, ask()));
    const size = (some: typeof chunks) => some.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(size(rest)).toBe(size(chunks.slice(index + 1)));
  }
  await expect(all(it.runner.logs(it.ref, '1.x', ask()))).rejects.toMatchObject({ code: 'usage/invalid' });
});

test('a plugin that gives no logs lets the run end and says so', async () => {
  const fake = fakeJobs();
  await using it = await started(fake);
  finish(it.job);
  fake.trouble.set('JobLogs', [status.UNIMPLEMENTED]);
  await expect(all(it.runner.logs(it.ref, undefined, ask()))).rejects.toMatchObject({ code: 'provider/not-found' });
});

test('cancelling is delivered; a job that is over or unknown needs none', async () => {
  const fake = fakeJobs();
  await using it = await started(fake);
  await it.runner.stop(it.ref, 'ask', call());
  expect(await it.runner.wait(it.ref, ask())).toMatchObject({ kind: 'lost' });
  await it.runner.stop(it.ref, 'force', call());
  await it.runner.stop({ key: 'nobody' }, 'force', call());
  fake.trouble.set('CancelJob', [status.UNAVAILABLE]);
  it.job.state = JobState.RUNNING;
  await expect(it.runner.stop(it.ref, 'force', call())).rejects.toMatchObject({ code: 'provider/unreachable' });
});

test('a plugin that cannot cancel is not said to have done it', async () => {
  const fake = fakeJobs({ cancels: false });
  await using it = await started(fake);
  await expect(it.runner.stop(it.ref, 'force', call())).rejects.toMatchObject({
    code: 'environment/unsupported',
    message: expect.stringContaining('errand-run-1') as string,
  });
  finish(it.job);
  await it.runner.stop(it.ref, 'force', call());
  expect(fake.calls).not.toContain('CancelJob');
});

test('a plugin that finds jobs by id only is asked by the id', async () => {
  const fake = fakeJobs();
  fake.idsOnly = true;
  await using it = await started(fake);
  finish(it.job, JobState.FAILED, 9);
  expect(await it.runner.wait(JSON.parse(JSON.stringify(it.ref)) as typeof it.ref, ask())).toEqual({ kind: 'exited', code: 9 });
});
