// The line is cut, freezes, or the far side starts anew, around every kind of call.
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogChunk, Provider, TreeEntry } from '@errand/contract';
import { serveProvider } from '@errand/plugin';
import { localProvider } from '@errand/provider-local';
import { connectTo, listen } from '../served.ts';
import { all, ask, call, job, jobSpec, place, placeSpec, stubProvider } from '../stub.ts';
import { openLine } from './proxy.ts';

const unreachable = { code: 'provider/unreachable', retry: 'later' };
const serve = (provider: Provider) => listen('tcp', (server) => serveProvider(server, provider, { name: 's', version: '1' }));

/** Repeats as the engine would, until the line is there again. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt > 40) throw error;
      await sleep(100);
    }
  }
}

test('a cut ends every call as unreachable, tells the far side, and the same connection serves again', async () => {
  const aborted: string[] = [];
  const hang = (verb: string, signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(verb);
        reject(signal.reason as Error);
      });
    });
  const provider = stubProvider({
    host: {
      acquire: (_spec, { signal }) => hang('acquire', signal),
      renew: (_place, _expiresAt, { signal }) => hang('renew', signal),
      realize: async (_place, files, { signal }) => {
        const { length } = await all(files);
        return hang(`realize ${length}`, signal);
      },
    },
    runner: {
      start: (_spec, { signal }) => hang('start', signal),
      wait: (_job, { signal }) => hang('wait', signal),
      async *logs(_job, _after, { signal }): AsyncGenerator<LogChunk> {
        yield { stream: 'stdout', bytes: Buffer.from('x'), cursor: 'c' };
        await hang('logs', signal);
      },
      stop: async () => undefined,
    },
  });
  await using listening = await serve(provider);
  await using line = await openLine(listening.address);
  await using wired = await connectTo(line.address);
  const { host, runner } = wired;
  if (!host || !runner) throw new Error('a facet is missing');
  async function* oneDirectory(): AsyncGenerator<TreeEntry> {
    yield { kind: 'directory', path: 'd', mode: 0o755 };
  }
  const calls = Promise.allSettled([
    host.acquire(placeSpec, call()),
    host.renew(place, 1, call()),
    host.realize(place, oneDirectory(), call()),
    runner.start(jobSpec, call()),
    runner.wait({ key: 'k', handle: job }, ask()),
    all(runner.logs({ key: 'k' }, undefined, ask())),
  ]);
  await sleep(300);
  line.cut();
  for (const result of await calls) expect(result).toMatchObject({ status: 'rejected', reason: unreachable });
  await expect.poll(() => aborted.toSorted()).toEqual(['acquire', 'logs', 'realize 1', 'renew', 'start', 'wait']);
  await expect(runner.stop({ key: 'k' }, 'ask', call())).rejects.toMatchObject(unreachable);
  line.mend();
  const before = Date.now();
  await again(() => runner.stop({ key: 'k' }, 'ask', call()));
  expect(Date.now() - before).toBeLessThan(5_000);
});

test('a reply lost in a cut does not double a start, and the log goes on where it was cut', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-cut-'));
  const local = await localProvider.open({ home, signal: new AbortController().signal });
  await using listening = await serve(local);
  await using line = await openLine(listening.address);
  await using wired = await connectTo(line.address);
  const { host, runner } = wired;
  if (!host || !runner) throw new Error('a facet is missing');
  const held = await host.acquire({ ...placeSpec, expiresAt: Date.now() + 60_000 }, call({ key: 'p' }));
  const script = 'echo x >> effects; i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); sleep 0.005; done; cat effects';
  const spec = { ...jobSpec, place: held, command: { script }, grace: 1_000 };
  const start = () => runner.start(spec, call({ key: 'j' }));
  const first = start().catch(() => undefined);
  await sleep(5);
  line.cut();
  await first;
  line.mend();
  const handle = await again(start);

  let text = '';
  let cursor: string | undefined;
  let cuts = 0;
  await again(async () => {
    for await (const chunk of runner.logs({ key: 'j', handle }, cursor, ask())) {
      text += Buffer.from(chunk.bytes).toString();
      cursor = chunk.cursor;
      if (text.length < (cuts + 1) * 600) continue;
      cuts++;
      line.cut();
      setTimeout(() => line.mend(), 50);
    }
  });
  expect(cuts).toBeGreaterThan(2);
  expect(text).toBe(`${Array.from({ length: 300 }, (_, index) => `line ${index}\n`).join('')}x\n`);
  expect(await again(() => runner.wait({ key: 'j' }, ask()))).toMatchObject({ kind: 'exited', code: 0 });
  await again(() => host.release({ key: 'p', handle: held }, call({ key: 'p' })));
  await local[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

test('a far side that starts anew at the same address is found again', async () => {
  const exit = { kind: 'exited', code: 0 } as const;
  const provider = stubProvider({ runner: { wait: async () => exit } });
  let listening = await serve(provider);
  const { address } = listening;
  await using wired = await connectTo(address);
  expect(await wired.runner?.wait({ key: 'k' }, ask())).toEqual(exit);
  await listening[Symbol.asyncDispose]();
  await expect(wired.runner?.wait({ key: 'k' }, ask())).rejects.toMatchObject(unreachable);
  listening = await listen('tcp', (server) => serveProvider(server, provider, { name: 's', version: '1' }), address);
  expect(await again(async () => wired.runner?.wait({ key: 'k' }, ask()))).toEqual(exit);
  await listening[Symbol.asyncDispose]();
});

test('a line that freezes is noticed by the caller’s signal, and by itself', async () => {
  const runner = {
    wait: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };
  await using listening = await serve(stubProvider({ runner }));
  await using line = await openLine(listening.address);
  const channel = { 'grpc.keepalive_time_ms': 300, 'grpc.keepalive_timeout_ms': 300 };
  await using wired = await connectTo(line.address, { channel });
  line.freeze();
  const enough = new Error('enough');
  const own = new AbortController();
  setTimeout(() => own.abort(enough), 100);
  await expect(wired.runner?.wait({ key: 'k' }, ask({ signal: own.signal }))).rejects.toBe(enough);
  const before = Date.now();
  await expect(wired.runner?.wait({ key: 'k' }, ask())).rejects.toMatchObject(unreachable);
  expect(Date.now() - before).toBeLessThan(3_000);
});

test('nobody there, and somebody who does not answer', async () => {
  await expect(connectTo('127.0.0.1:1')).rejects.toMatchObject(unreachable);
  await expect(connectTo('unix:/nonexistent/socket')).rejects.toMatchObject(unreachable);
  await using listening = await serve(stubProvider());
  await using line = await openLine(listening.address);
  line.freeze();
  const before = Date.now();
  await expect(connectTo(line.address, { patience: 300 })).rejects.toMatchObject({ code: 'provider/timeout' });
  expect(Date.now() - before).toBeLessThan(2_000);
});
