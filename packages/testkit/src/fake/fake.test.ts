import { isErrandError } from '@errand/contract';
import type { Call, JobSpec, Provider, SecretCall } from '@errand/contract';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createVirtualClock } from '../sim/clock.ts';
import { fileBacking } from './backing.ts';
import { createFakeCloud } from './cloud.ts';
import type { FakeCloudOptions } from './cloud.ts';
import { fakeProvider } from './provider.ts';

async function setUp(options: Partial<FakeCloudOptions> = {}) {
  const clock = createVirtualClock();
  const cloud = createFakeCloud({ clock, ...options });
  const provider = await fakeProvider(cloud).open({ home: '/nowhere', signal: new AbortController().signal });
  const { host, runner } = provider;
  if (!host || !runner) throw new Error('the fake offers both facets');
  const run = <T>(work: Promise<T>) => clock.drive(work, 3_600_000);
  const place = await run(host.acquire(placeSpec(clock.now() + 600_000), call('lease')));
  const start = (argv: string[], key = 'job', epoch = 1) => run(runner.start({ ...jobSpec(argv), place }, call(key, epoch)));
  return { clock, cloud, host, runner, place, run, start };
}

function call(key: string, epoch = 1, signal = new AbortController().signal): Call & SecretCall {
  return { key, epoch, signal, log: () => {}, secret: async () => 'hush-hush' };
}

const placeSpec = (expiresAt: number) => ({ owner: 'me', expiresAt, resources: {}, labels: {}, options: {} });

function jobSpec(argv: string[]): JobSpec {
  const none = { env: {}, secretEnv: {}, resources: {}, labels: {}, options: {} };
  return { ...none, owner: 'me', command: { argv }, grace: 1000 };
}

async function text(provider: Pick<Provider, 'runner'>, key: string, after?: string) {
  let all = '';
  const ask = { signal: new AbortController().signal, log: () => {} };
  for await (const chunk of provider.runner?.logs({ key }, after, ask) ?? []) all += Buffer.from(chunk.bytes).toString();
  return all;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isErrandError(error)) return error.code;
    throw error;
  }
  return 'fulfilled';
}

describe('jobs', () => {
  test('put out what their words say and end as they say', async () => {
    const { runner, run, start, clock } = await setUp();
    const began = clock.now();
    await start(['every', '100', 'emit', '3', 'warn', 'oh', 'sleep', '500', 'exit', '3']);
    const exit = await run(runner.wait({ key: 'job' }, call('')));
    expect(exit).toEqual({ kind: 'exited', code: 3, startedAt: began, endedAt: began + 800 });
    expect(await run(text({ runner }, 'job'))).toBe('1\n2\n3\noh\n');
  });

  test('start once per key, and are adopted afterwards', async () => {
    const { cloud, start } = await setUp();
    await start(['sleep', '100']);
    await start(['sleep', '100']);
    expect(cloud.starts('job')).toBe(1);
  });

  test('an unknown program is an exit of 127', async () => {
    const { runner, run, start } = await setUp();
    await start(['frobnicate']);
    expect(await run(runner.wait({ key: 'job' }, call('')))).toMatchObject({ kind: 'exited', code: 127 });
  });

  test('a log goes on exactly after a cursor, also within a line', async () => {
    const { runner, run, start } = await setUp({ traits: { chunk: 5 } });
    await start(['say', 'hello world', 'exit', '0']);
    const seen: string[] = [];
    const all = async () => {
      for await (const chunk of runner.logs({ key: 'job' }, undefined, call(''))) seen.push(chunk.cursor);
    };
    await run(all());
    expect(seen).toEqual(['5', '10', '12']);
    expect(await run(text({ runner }, 'job', '5'))).toBe(' world\n');
  });

  test('output may come long after the end', async () => {
    const { runner, run, start, clock } = await setUp({ traits: { logLag: 5000 } });
    await start(['say', 'late', 'exit', '0']);
    await run(runner.wait({ key: 'job' }, call('')));
    const ended = clock.now();
    expect(await run(text({ runner }, 'job'))).toBe('late\n');
    expect(clock.now() - ended).toBe(5000);
  });

  test('a deaf one hears only force, a stubborn one not even the first of those', async () => {
    const { runner, run, start, cloud } = await setUp();
    await start(['deaf', 'stubborn', '1', 'forever']);
    await run(runner.stop({ key: 'job' }, 'ask', call('stop')));
    await run(runner.stop({ key: 'job' }, 'force', call('stop')));
    expect(cloud.truth('job')?.end).toBeUndefined();
    await run(runner.stop({ key: 'job' }, 'force', call('stop')));
    expect(await run(runner.wait({ key: 'job' }, call('')))).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
  });

  test('one that never leaves pending holds its caller until that gives up, and can still be stopped', async () => {
    const { runner, run, clock, place, cloud } = await setUp();
    const patience = new AbortController();
    void clock.sleep(1000).then(() => patience.abort(new Error('enough')));
    const started = runner.start({ ...jobSpec(['pending', 'forever']), place }, call('job', 1, patience.signal));
    await expect(run(started)).rejects.toThrow('enough');
    expect(cloud.truth('job')).toMatchObject({ startedAt: undefined, end: undefined });
    await run(runner.stop({ key: 'job' }, 'ask', call('stop')));
    expect(cloud.truth('job')?.end).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
  });

  test('files and secrets come to it, and no secret rests in its output', async () => {
    const { host, runner, run, place } = await setUp();
    const content = async function* () {
      yield Buffer.from('from the workspace\n');
    };
    const files = async function* () {
      yield { kind: 'file', path: 'a/b.txt', mode: 0o644, size: 19, content } as const;
    };
    await run(host.realize(place, files(), call('realize')));
    const spec = { ...jobSpec(['cat', 'a/b.txt', 'show', 'TOKEN', 'write', 'out/x', 'made']), place };
    await run(runner.start({ ...spec, secretEnv: { TOKEN: 'secret://env/TOKEN' } }, call('job')));
    expect(await run(text({ runner }, 'job'))).toBe('from the workspace\n[redacted]\n');
    const found: string[] = [];
    for await (const entry of host.collect(place, ['out/*'], call(''))) found.push(entry.path);
    expect(found).toEqual(['out/x']);
  });
});

describe('places', () => {
  test('go by themselves at their expiry, and take their jobs along', async () => {
    const { cloud, start, run, runner, clock } = await setUp();
    await start(['forever']);
    await run(clock.sleep(600_000));
    expect(cloud.places()[0]).toMatchObject({ goneBy: 'expiry' });
    expect(await run(runner.wait({ key: 'job' }, call('')))).toMatchObject({ kind: 'lost' });
  });

  test('never act on an epoch lower than the highest they have seen', async () => {
    const { host, run, runner, place, clock, start } = await setUp();
    await start(['forever'], 'job', 1);
    await run(host.renew(place, clock.now(), call('renew', 3)));
    expect(await run(codeOf(host.renew(place, clock.now(), call('renew', 2))))).toBe('provider/fenced');
    expect(await run(codeOf(runner.stop({ key: 'job' }, 'ask', call('stop', 2))))).toBe('provider/fenced');
    expect(await run(codeOf(host.release({ key: 'lease' }, call('lease', 2))))).toBe('provider/fenced');
    expect(await run(codeOf(host.release({ key: 'lease' }, call('lease', 3))))).toBe('fulfilled');
  });

  test('that lag are missing from a list at first', async () => {
    const { host, run, clock } = await setUp({ traits: { listLag: 1000 } });
    const list = async () => {
      const keys: string[] = [];
      for await (const seen of host.inventory('me', call(''))) keys.push(seen.key);
      return keys;
    };
    expect(await list()).toEqual([]);
    await run(clock.sleep(1000));
    expect(await list()).toEqual(['lease']);
  });

  test('that die are not renewed', async () => {
    const { host, run, place, cloud, clock } = await setUp();
    cloud.destroy('lease');
    expect(await run(codeOf(host.renew(place, clock.now(), call('renew'))))).toBe('provider/not-found');
  });
});

describe('bad manners', () => {
  test('a lost reply has its effect, a refusal has none', async () => {
    const { cloud, run, runner, place } = await setUp();
    cloud.manners.add({ on: 'runner.start', calls: [1, 1], manner: { do: 'refuse', code: 'provider/throttled' } });
    cloud.manners.add({ on: 'runner.start', calls: [2, 2], manner: { do: 'lose-reply' } });
    const start = () => codeOf(runner.start({ ...jobSpec(['forever']), place }, call('job')));
    expect(await run(start())).toBe('provider/throttled');
    expect(cloud.starts('job')).toBe(0);
    expect(await run(start())).toBe('provider/unreachable');
    expect(cloud.starts('job')).toBe(1);
    expect(await run(start())).toBe('fulfilled');
    expect(cloud.starts('job')).toBe(1);
  });

  test('a repeated request has one effect, a late one has it after the error', async () => {
    const { cloud, run, host, clock } = await setUp();
    cloud.manners.add({ on: 'host.acquire', calls: [2, 2], manner: { do: 'repeat' } });
    cloud.manners.add({ on: 'host.acquire', calls: [3, 3], manner: { do: 'late', ms: 1000 } });
    await run(host.acquire(placeSpec(clock.now() + 1e6), call('second')));
    expect(await run(codeOf(host.acquire(placeSpec(clock.now() + 1e6), call('third'))))).toBe('provider/unreachable');
    expect(cloud.places().map((place) => place.key)).toEqual(['lease', 'second']);
    await run(clock.sleep(1000));
    expect(cloud.places().map((place) => place.key)).toEqual(['lease', 'second', 'third']);
  });

  test('a hanging call ends with its signal', async () => {
    const { cloud, run, host, place, clock } = await setUp();
    cloud.manners.add({ on: 'host.renew', manner: { do: 'hang' } });
    const patience = new AbortController();
    void clock.sleep(1000).then(() => patience.abort(new Error('enough')));
    await expect(run(host.renew(place, 0, call('renew', 1, patience.signal)))).rejects.toThrow('enough');
  });

  test('a stream that is cut goes on from its cursor', async () => {
    const { cloud, run, runner, start } = await setUp({ traits: { chunk: 2 } });
    cloud.manners.add({ on: 'runner.logs', calls: [1, 1], manner: { do: 'cut', after: 2 } });
    await start(['emit', '3']);
    const seen: string[] = [];
    const read = async (after?: string) => {
      for await (const chunk of runner.logs({ key: 'job' }, after, call(''))) seen.push(chunk.cursor);
    };
    expect(await run(codeOf(read()))).toBe('provider/unreachable');
    await run(read(seen.at(-1)));
    expect(seen).toEqual(['2', '4', '6']);
  });
});

test('a cloud in a file is the same for whoever opens it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'errand-fake-'));
  try {
    const file = join(directory, 'cloud.db');
    const { start, clock } = await setUp({ backing: fileBacking(file) });
    await start(['say', 'hello', 'sleep', '50', 'exit', '4']);
    using other = createFakeCloud({ clock, backing: fileBacking(file) });
    const { runner } = await fakeProvider(other).open({ home: '/nowhere', signal: new AbortController().signal });
    expect(await clock.drive(runner?.wait({ key: 'job' }, call('')) ?? Promise.reject(new Error('none')), 1000)).toMatchObject({
      code: 4,
    });
    expect(other.starts('job')).toBe(1);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
