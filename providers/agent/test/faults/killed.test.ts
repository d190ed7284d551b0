// Either end dies in the middle.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isErrandError } from '@errand/contract';
import type { ErrorCode, Json, Provider } from '@errand/contract';
import { ask, callFor, makeBed } from '../bed.ts';
import type { Bed, Running } from '../bed.ts';
import { facets, finish, release, run, start, until } from '../jobs.ts';
import type { Started } from '../jobs.ts';

let bed: Bed;
let home: string;
let agent: Running;
let provider: Provider;
let options: Json;

beforeEach(async () => {
  bed = makeBed();
  home = mkdtempSync(join(tmpdir(), 'errand-killed-'));
  bed.write('agent.yaml', 'policy: { profiles: [permissive], concurrency: 2 }\n');
  agent = await bed.start({ args: ['--config', bed.path('agent.yaml')] });
  provider = await bed.open(home);
  options = bed.options(agent);
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await agent[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  agent = await bed.start({ args: ['--config', bed.path('agent.yaml'), '--listen', agent.address] });
}

/** As the engine does: what failed for want of an answer is asked again. */
async function patiently<T>(work: () => Promise<T>, enough: ErrorCode = 'provider/failed'): Promise<T> {
  for (const end = Date.now() + 30_000; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isErrandError(error) || error.retry === 'never' || error.code === enough || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const places = () => readdirSync(bed.path('home/agent/local/places')).filter((name) => !name.startsWith('.'));

test('the agent is killed and comes back: its jobs went on, and the same client finds them with every byte', async () => {
  const job = await start(provider, options, 'for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.5; done; exit 5');
  const { runner } = facets(provider);
  let text = '';
  let cursor: string | undefined;
  const follow = patiently(async () => {
    for await (const chunk of runner.logs(job, cursor, ask)) {
      text += Buffer.from(chunk.bytes).toString();
      ({ cursor } = chunk);
    }
  });
  const exit = patiently(() => runner.wait(job, ask));
  await until('it has begun', () => text.includes('2'));
  await agent.kill();
  await restart();
  expect(await exit).toMatchObject({ kind: 'exited', code: 5 });
  await follow;
  expect(text).toBe('1\n2\n3\n4\n5\n6\n7\n8\n');
  await patiently(() => release(provider, job));
  expect(places()).toEqual([]);
});

test('a restarted agent counts what runs, and lets it be stopped', async () => {
  const jobs = [await start(provider, options, 'sleep 60'), await start(provider, options, 'sleep 60')];
  await agent.kill();
  await restart();
  const third = () => run(provider, options, 'true');
  await expect(patiently(third, 'provider/capacity')).rejects.toMatchObject({ code: 'provider/capacity' });
  for (const job of jobs) {
    await facets(provider).runner.stop(job, 'force', callFor(job.key));
    expect(await facets(provider).runner.wait(job, ask)).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
    await release(provider, job);
  }
  expect((await patiently(third)).exit).toMatchObject({ kind: 'exited', code: 0 });
});

test('a client is killed: its job goes on, and a fresh process finds it by its key alone', async () => {
  const program = join(import.meta.dirname, 'client.ts');
  const client = spawn(process.execPath, [program, home, JSON.stringify(options), bed.token], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(client.stdout, 'data')) as [Buffer];
  const job = JSON.parse(line.toString()) as Started;
  client.kill('SIGKILL');
  await once(client, 'exit');
  const { runner } = facets(provider);
  expect(await runner.wait({ key: job.key }, ask)).toMatchObject({ kind: 'exited', code: 6 });
  expect(await finish(provider, job)).toMatchObject({ out: 'begun\ndone\n' });
  await release(provider, job);
});

test('what a dead client left is given up by the agent when it expires, after a restart too', async () => {
  const job = await start(provider, options, 'echo $$ > pid; sleep 300', { expiresAt: Date.now() + 1_500, owner: 'nobody-now' });
  const kept = await start(provider, options, 'sleep 300');
  await agent.kill();
  await restart();
  await until('the expired place is gone', () => places().length === 1, 60_000);
  await until('it says so', () => agent.said().includes(`gave up the place "${job.placeKey}"`));
  await release(provider, kept);
}, 90_000);

test('calls that died with the agent leave nothing', async () => {
  const socket = bed.path('exec.sock');
  const args = ['--bare', '--listen', `unix:${socket}`, '--config', bed.path('agent.yaml')];
  const first = await bed.start({ args });
  await using other = await bed.open(join(home, 'other'));
  const far = { address: `unix:${socket}`, protocol: 'sandbox' };
  const script = `echo $$ > ${bed.path('pid')}; while :; do sleep 0.1; done`;
  await start(other, far, script);
  await until('it runs', () => {
    try {
      return readFileSync(bed.path('pid'), 'utf8') !== '';
    } catch {
      return false;
    }
  });
  await first.kill();
  expect(places()).toHaveLength(1);
  await using _ = await bed.start({ args });
  expect(places()).toEqual([]);
  expect(() => process.kill(Number(readFileSync(bed.path('pid'), 'utf8')), 0)).toThrow(/ESRCH/);
});
