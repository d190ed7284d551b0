// Driving an agent that knows only SandboxExecService.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Handle, JobSpec, Json, Provider } from '@errand/contract';
import { agentProvider } from '@errand/provider-agent';
import { ask, callFor, newKey, signal } from '../bed.ts';
import { facets, finish, release, run, start } from '../jobs.ts';
import { startPlainAgent } from '../plain-agent.ts';
import type { Manners, PlainAgent } from '../plain-agent.ts';

let directory: string;
let home: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'errand-plain-'));
  home = join(directory, 'home');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => agentProvider.open({ home, signal, secret: async () => 'a-token' });

async function world(manners?: Manners): Promise<{ far: PlainAgent; provider: Provider; options: Json } & AsyncDisposable> {
  const far = await startPlainAgent(join(directory, 'agent.sock'), manners);
  const provider = await open();
  const options = { address: far.address, token: { secret: 'secret://file/t' }, profile: 'standard', options: { workdir: '/w' } };
  return {
    far,
    provider,
    options,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await far[Symbol.asyncDispose]();
    },
  };
}

test('it is found out what answers there; a command runs, and its output and exit code come back', async () => {
  await using w = await world();
  const ran = await run(w.provider, w.options, 'echo "$A"; echo problem >&2; exit 3', { image: 'alpine', env: { A: 'x y' } });
  expect(ran).toMatchObject({ exit: { kind: 'exited', code: 3 }, out: 'x y\n', err: 'problem\n' });
  expect(w.far.requests).toMatchObject([{ image: 'alpine', profile: 'standard', workdir: '/w', env: { A: 'x y' } }]);
  expect(w.far.tokens).toEqual(['Bearer a-token']);
  expect(readdirSync(join(home, 'exec'))).toEqual([]);
});

test('what it cannot do is refused before the start', async () => {
  await using w = await world();
  const demand = { resources: { memory: 1, cpu: 1 }, options: w.options, workspaceIn: true, workspaceOut: true };
  const problems = (await w.provider.check?.(demand, ask)) ?? [];
  expect(problems.map((one) => one.message.replace(/^the agent at \S+ /, ''))).toEqual([
    'cannot limit cpu',
    'cannot limit memory',
    'needs an image',
    'cannot take a workspace',
    'cannot give files back',
  ]);
  const wanted = { image: 'alpine', resources: { memory: 1 } };
  await expect(run(w.provider, w.options, 'true', wanted)).rejects.toMatchObject({ code: 'environment/unsupported' });
  expect(w.far.requests).toEqual([]);
});

test('the same key is called for once, whoever asks and however often', async () => {
  await using w = await world();
  await using other = await open();
  const { host } = facets(w.provider);
  const key = newKey();
  const shared = { owner: 'o', resources: {}, labels: {}, options: w.options, image: 'alpine' };
  const place = await host.acquire({ ...shared, expiresAt: Date.now() + 60_000 }, callFor('place'));
  const spec = { ...shared, place, command: { argv: ['echo', 'once'] }, env: {}, secretEnv: {}, grace: 0 };
  const both = [w.provider, other, w.provider, other];
  const handles = await Promise.all(both.map((one) => facets(one).runner.start(spec, callFor(key))));
  expect(new Set(handles.map((handle) => JSON.stringify(handle))).size).toBe(1);
  for (const one of both) expect(await facets(one).runner.wait({ key }, ask)).toMatchObject({ kind: 'exited', code: 0 });
  await facets(other).runner.start(spec, callFor(key));
  expect(w.far.requests).toHaveLength(1);
  for await (const chunk of facets(other).runner.logs({ key }, undefined, ask)) {
    expect(Buffer.from(chunk.bytes).toString()).toBe('once\n');
  }
});

test('stopping cancels the call, from another process too, and what was stopped first never runs', async () => {
  await using w = await world();
  await using other = await open();
  const job = await start(w.provider, w.options, 'echo $$; exec sleep 60', { image: 'alpine' });
  let pid = 0;
  for await (const chunk of facets(w.provider).runner.logs(job, undefined, ask)) {
    pid = Number(Buffer.from(chunk.bytes).toString());
    break;
  }
  expect(process.kill(pid, 0)).toBe(true);
  await facets(other).runner.stop(job, 'ask', callFor(job.key));
  const exit = await facets(w.provider).runner.wait(job, ask);
  expect(exit).toMatchObject({ kind: 'lost', evidence: expect.stringContaining('cancelled') });
  await expect.poll(() => alive(pid)).toBe(false);
  await release(w.provider, job);
  const key = newKey();
  const { runner } = facets(w.provider);
  await runner.stop({ key }, 'force', callFor(key));
  const { place } = job;
  const common = { owner: 'o', resources: {}, labels: {}, options: w.options, image: 'alpine', env: {}, secretEnv: {}, grace: 0 };
  await runner.start({ ...common, place, command: { argv: ['true'] } }, callFor(key));
  expect((await runner.wait({ key }, ask)).kind).toBe('signalled');
  expect(w.far.requests).toHaveLength(1);
});

test.each<[Manners, object]>([
  [{ breaks: true }, { kind: 'lost', evidence: expect.stringContaining('broke') }],
  [{ forgets: true }, { kind: 'lost', evidence: expect.stringContaining('without an exit code') }],
  [{ refuses: status.PERMISSION_DENIED }, { kind: 'errored', reason: 'auth' }],
  [{ refuses: status.INVALID_ARGUMENT }, { kind: 'errored', reason: 'config' }],
  [{ refuses: status.INTERNAL }, { kind: 'lost' }],
])('an agent that %j: the end says what is known, and nothing is called for again', async (manners, expected) => {
  await using w = await world(manners);
  const job = await start(w.provider, w.options, 'echo begun; sleep 1', { image: 'alpine' });
  expect((await finish(w.provider, job)).exit).toMatchObject(expected);
  expect(w.far.requests).toHaveLength(1);
});

test('whoever carried the call died: the job is lost, with evidence, and is not run twice', async () => {
  await using w = await world();
  const args = [join(import.meta.dirname, '../exec-carrier.ts'), home, JSON.stringify(w.options)];
  const carrier = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(carrier.stdout, 'data')) as [Buffer];
  const { key, spec, handle } = JSON.parse(line.toString()) as Carried;
  carrier.kill('SIGKILL');
  await once(carrier, 'exit');
  const { runner } = facets(w.provider);
  expect(await runner.start(spec, callFor(key))).toEqual(handle);
  const exit = await runner.wait({ key, handle }, ask);
  expect(exit).toMatchObject({ kind: 'lost', evidence: expect.stringContaining('is dead') });
  let text = '';
  for await (const chunk of runner.logs({ key, handle }, undefined, ask)) text += Buffer.from(chunk.bytes).toString();
  expect(text).toBe('begun\n');
  expect(w.far.requests).toHaveLength(1);
});

interface Carried {
  readonly key: string;
  readonly spec: JobSpec;
  readonly handle: Handle<'job'>;
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
