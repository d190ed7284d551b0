import { Metadata } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { ErrandError } from '@errand/contract';
import type { Call, JobSpec, LogChunk, PlaceSpec, Provider } from '@errand/contract';
import { throughWire } from '../../test/served.ts';
import { all, ask, call, capabilities, job, jobSpec, place, placeSpec, stubProvider } from '../../test/stub.ts';
import { batchBytes } from './limits.ts';

describe('what a provider is', () => {
  test('capabilities, name and schema arrive; absent facets stay absent', async () => {
    const optionsSchema = { type: 'object' };
    await using wired = await throughWire(stubProvider({ runner: {} }), { serve: { optionsSchema } });
    expect(wired.capabilities).toEqual(capabilities);
    expect(wired.served).toEqual({ name: 'tested', version: '1.2.3', optionsSchema });
    expect(wired.runner).toBeDefined();
    expect(Object.keys(wired).toSorted()).toEqual(['capabilities', 'runner', 'served']);
  });

  test('check brings the diagnostics back, and warm gets through', async () => {
    const { promise: warmed, resolve } = Promise.withResolvers<void>();
    const problem = { severity: 'warning', message: 'm', file: 'f', line: 3, column: 4, hint: 'h' } as const;
    const seen: unknown[] = [];
    const check: Provider['check'] = async (request) => {
      seen.push(request);
      return [problem, { severity: 'error', message: 'bare' }];
    };
    await using wired = await throughWire(stubProvider({ check, warm: () => resolve() }));
    const request = { image: 'i', resources: { cpu: 0.5, memory: 1e10 }, options: { a: [1] } };
    expect(await wired.check?.(request, ask())).toEqual([problem, { severity: 'error', message: 'bare' }]);
    expect(seen).toEqual([request]);
    wired.warm?.();
    await warmed;
  });
});

describe('calls', () => {
  test('specs, keys, epochs, talk and secrets arrive as they were sent', async () => {
    const seen: unknown[] = [];
    const keep = (spec: PlaceSpec | JobSpec, { key, epoch, log }: Call) => {
      seen.push({ spec, key, epoch });
      log('one');
      log('two');
    };
    await using wired = await throughWire(
      stubProvider({
        host: { acquire: async (spec, given) => (keep(spec, given), place) },
        runner: {
          start: async (spec, given) => {
            keep(spec, given);
            seen.push(await given.secret('secret://a/b'));
            return job;
          },
        },
      }),
    );
    const lines: string[] = [];
    const talking = { log: (line: string) => lines.push(line) };
    const wanted: PlaceSpec = { ...placeSpec, expiresAt: 1.5, image: 'i', standing: false, labels: { l: 'v' }, options: null };
    expect(await wired.host?.acquire(wanted, call({ ...talking, epoch: 2 ** 40 }))).toEqual(place);
    const spec: JobSpec = {
      ...jobSpec,
      place,
      command: { argv: ['', 'ü', "it's", '$HOME'] },
      env: { A: '', B: 'x=y\n' },
      secretEnv: { T: 'secret://a/b', U: 'secret://a/b' },
      timeout: 0.25,
      options: [{ x: 1 }],
    };
    const asked: string[] = [];
    const secret = async (reference: string) => {
      asked.push(reference);
      return 'vÄlue';
    };
    expect(await wired.runner?.start(spec, call({ ...talking, secret }))).toEqual(job);
    expect(seen).toEqual([{ spec: wanted, key: 'k', epoch: 2 ** 40 }, { spec, key: 'k', epoch: 1 }, 'vÄlue']);
    expect(lines).toEqual(['one', 'two', 'one', 'two']);
    expect(asked).toEqual(['secret://a/b']);
  });

  test('talk where the replies have no room for it is dropped', async () => {
    const seen = { key: 'k', handle: job, alive: true };
    const runner = {
      async *find(_: string, { log }: { log: (line: string) => void }) {
        log('looking');
        yield seen;
      },
    };
    await using wired = await throughWire(stubProvider({ runner }));
    expect(await all(wired.runner?.find('o', ask()))).toEqual([seen]);
  });

  test('a secret that was not sent is missing, with its name', async () => {
    const runner = {
      start: async (_: JobSpec, { secret }: { secret: (r: string) => Promise<string> }) => (await secret('r'), job),
    };
    await using wired = await throughWire(stubProvider({ runner }));
    await expect(wired.runner?.start(jobSpec, call())).rejects.toMatchObject({
      code: 'secret/missing',
      message: expect.stringMatching(/\br\b/) as string,
    });
  });

  test('a chunk bigger than a message arrives whole, with its cursor', async () => {
    const bytes = Buffer.alloc(batchBytes * 40 + 7, 'abc');
    const chunks: LogChunk[] = [
      { stream: 'stderr', bytes: Buffer.from('first'), cursor: '' },
      { stream: 'stdout', bytes, cursor: 'c1' },
      { stream: 'stdout', bytes: Buffer.alloc(0), cursor: 'c2' },
    ];
    const afters: unknown[] = [];
    const runner = {
      async *logs(_: unknown, after: string | undefined) {
        afters.push(after);
        yield* chunks;
      },
    };
    await using wired = await throughWire(stubProvider({ runner }));
    const got = await all(wired.runner?.logs({ key: 'k' }, undefined, ask()));
    expect(got.map(({ stream, cursor }) => [stream, cursor])).toEqual(chunks.map(({ stream, cursor }) => [stream, cursor]));
    expect(Buffer.compare(got[1]?.bytes ?? Buffer.alloc(0), bytes)).toBe(0);
    await all(wired.runner?.logs({ key: 'k' }, '', ask()));
    expect(afters).toEqual([undefined, '']);
  });
});

describe('errors', () => {
  const failing = (error: unknown) =>
    throughWire(stubProvider({ runner: { wait: () => Promise.reject(error), logs: () => failAfter(error) } }));
  async function* failAfter(error: unknown): AsyncGenerator<LogChunk> {
    yield { stream: 'stdout', bytes: Buffer.from('x'), cursor: 'c' };
    throw error;
  }

  test('a typed error arrives with code, retry, next step and diagnostics', async () => {
    const options = { retry: 'later', next: 'Do ü.', diagnostics: [{ severity: 'error', message: 'd', line: 1 }] } as const;
    await using wired = await failing(new ErrandError('provider/not-found', 'gone\n50% – ü', options));
    await expect(wired.runner?.wait({ key: 'k' }, ask())).rejects.toMatchObject({
      code: 'provider/not-found',
      message: 'gone\n50% – ü',
      ...options,
    });
  });

  test('what came before an error is given before it', async () => {
    await using wired = await failing(new ErrandError('provider/unreachable', 'cut'));
    const got: string[] = [];
    const read = async () => {
      for await (const chunk of wired.runner?.logs({ key: 'k' }, undefined, ask()) ?? []) got.push(chunk.cursor);
    };
    await expect(read()).rejects.toMatchObject({ code: 'provider/unreachable', message: 'cut' });
    expect(got).toEqual(['c']);
  });

  test.each([
    [new Error('plain'), 'provider/failed', 'never'],
    ['a string', 'provider/failed', 'never'],
    [new ErrandError('store/corrupt', 'their store'), 'provider/failed', 'never'],
    [new ErrandError('internal/bug', 'their bug', { retry: 'safe' }), 'provider/failed', 'safe'],
    [new ErrandError('provider/throttled', 'slow down'), 'provider/throttled', 'later'],
    [new ErrandError('disk/full', 'full'), 'disk/full', 'later'],
    [new ErrandError('provider/failed', 'long '.repeat(20_000)), 'provider/failed', 'never'],
  ])('%s arrives as %s', async (error, code, retry) => {
    await using wired = await failing(error);
    const text = error instanceof Error ? error.message : error;
    const message = expect.stringContaining(text.slice(0, 1_000)) as string;
    await expect(wired.runner?.wait({ key: 'k' }, ask())).rejects.toMatchObject({ code, retry, message });
  });

  test('a request too large to send is refused before it is sent', async () => {
    await using wired = await throughWire(stubProvider({ runner: { start: async () => job } }));
    const spec = { ...jobSpec, command: { script: '#'.repeat(5_000_000) } };
    await expect(wired.runner?.start(spec, call())).rejects.toMatchObject({
      code: 'usage/invalid',
      next: expect.stringMatching(/workspace/) as string,
    });
  });
});

describe('who may', () => {
  const authorize = ({ metadata }: { metadata: Metadata }) => {
    if (metadata.get('authorization')[0] !== 'Bearer right') throw new ErrandError('provider/auth', 'no such token');
  };

  test('a caller without the token gets nothing, not even the name', async () => {
    await expect(throughWire(stubProvider(), { serve: { authorize } })).rejects.toMatchObject({
      code: 'provider/auth',
      message: 'no such token',
      cause: { code: 16 },
    });
  });

  test('the token is asked for before every call', async () => {
    let token = 'right';
    const metadata = async () => {
      const sent = new Metadata();
      sent.set('authorization', `Bearer ${token}`);
      return sent;
    };
    const runner = { wait: async () => ({ kind: 'exited', code: 3 }) as const };
    await using wired = await throughWire(stubProvider({ runner }), { serve: { authorize }, connect: { metadata } });
    expect(await wired.runner?.wait({ key: 'k' }, ask())).toEqual({ kind: 'exited', code: 3 });
    token = 'old';
    await expect(wired.runner?.wait({ key: 'k' }, ask())).rejects.toMatchObject({ code: 'provider/auth' });
  });
});
