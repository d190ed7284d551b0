// A far side that answers wrongly: a typed error, soon, and nothing left over.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Metadata, status } from '@grpc/grpc-js';
import type { MethodDefinition, Server, ServerWritableStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { connectTo, listen } from '../served.ts';
import { all, ask, call, capabilities, job, jobSpec, place, placeSpec } from '../stub.ts';
import { encode } from '../../src/wire/definition.ts';
import { DescribeResponseSchema } from '../../src/gen/errand/v1/provider_pb.js';
import { AcquireResponseSchema, CollectResponseSchema, HostService } from '../../src/gen/errand/v1/host_pb.js';
import { LogsResponseSchema, RunnerService, StartResponseSchema, WaitResponseSchema } from '../../src/gen/errand/v1/runner_pb.js';

const same = (bytes: Buffer) => bytes;
const good = { ...capabilities, resources: [...capabilities.resources] };
const description = encode(DescribeResponseSchema, { name: 'n', capabilities: good, facets: ['host', 'runner', 'new-one'] });

function method(path: string, responseStream: boolean, requestStream = false): MethodDefinition<Buffer, Buffer> {
  const raw = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
  return { path, requestStream, responseStream, ...raw };
}

/** Every method answers with the same bytes, or in its own way. */
function hostile(how: { reply?: Buffer; fail?: object; describe?: Buffer }): (server: Server) => void {
  const answerStream = (stream: { write(bytes: Buffer): void; end(): void; emit(event: 'error', error: object): void }) => {
    if (how.reply) stream.write(how.reply);
    if (how.fail) stream.emit('error', how.fail);
    else stream.end();
  };
  const answerUnary = (_call: unknown, reply: (error: object | null, bytes?: Buffer) => void) =>
    how.fail ? reply(how.fail) : reply(null, how.reply ?? Buffer.alloc(0));
  return (server) => {
    for (const service of [HostService, RunnerService]) {
      const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {};
      const implementation: Record<string, unknown> = {};
      for (const { localName, name, methodKind } of service.methods) {
        const streams = methodKind !== 'unary';
        definition[localName] = method(`/${service.typeName}/${name}`, streams, methodKind === 'bidi_streaming');
        implementation[localName] = streams ? answerStream : answerUnary;
      }
      server.addService(definition, implementation as UntypedServiceImplementation);
    }
    server.addService(
      { describe: method('/errand.v1.ProviderService/Describe', false) },
      {
        describe: (_call: unknown, reply: (error: null, bytes: Buffer) => void) => reply(null, how.describe ?? description),
      },
    );
  };
}

type Verb = 'acquire' | 'renew' | 'realize' | 'collect' | 'release' | 'inventory' | 'start' | 'wait' | 'logs' | 'stop' | 'find';

async function outcomes(how: Parameters<typeof hostile>[0]): Promise<Record<Verb, unknown>> {
  await using listening = await listen('unix', hostile(how));
  await using wired = await connectTo(listening.address);
  const { host, runner } = wired;
  if (!host || !runner) throw new Error('a facet is missing');
  async function* none(): AsyncGenerator<never> {}
  const readAll = async () => {
    for await (const entry of host.collect(place, ['*'], ask())) if (entry.kind === 'file') await all(entry.content());
  };
  const calls: Record<Verb, Promise<unknown>> = {
    acquire: host.acquire(placeSpec, call()),
    renew: host.renew(place, 1, call()),
    realize: host.realize(place, none(), call()),
    collect: readAll(),
    release: host.release({ key: 'k' }, call()),
    inventory: all(host.inventory('o', ask())),
    start: runner.start(jobSpec, call()),
    wait: runner.wait({ key: 'k', handle: job }, ask()),
    logs: all(runner.logs({ key: 'k' }, undefined, ask())),
    stop: runner.stop({ key: 'k' }, 'ask', call()),
    find: all(runner.find('o', ask())),
  };
  const entries = Object.entries(calls).map(async ([verb, promise]) => [
    verb,
    await promise.then(
      () => 'fine',
      (error: { code?: string }) => error.code,
    ),
  ]);
  return Object.fromEntries(await Promise.all(entries)) as Record<Verb, unknown>;
}

const verbs: Verb[] = ['acquire', 'renew', 'realize', 'collect', 'release', 'inventory', 'start', 'wait', 'logs', 'stop', 'find'];
const everywhere = (code: string) => Object.fromEntries(verbs.map((verb) => [verb, code]));

describe('replies', () => {
  test('an OK without anything in it is a failure wherever an answer was due', async () => {
    const empty = { renew: 'fine', stop: 'fine', collect: 'fine', inventory: 'fine', logs: 'fine', find: 'fine' };
    expect(await outcomes({})).toEqual({ ...everywhere('provider/failed'), ...empty });
    expect(await outcomes({ reply: Buffer.alloc(0) })).toEqual({ ...everywhere('provider/failed'), ...empty });
  });

  test('bytes that are no message', async () => {
    expect(await outcomes({ reply: Buffer.from('ffffffffffffffff', 'hex') })).toEqual(everywhere('provider/failed'));
  });

  test('a message beyond the size limit', async () => {
    expect(await outcomes({ reply: Buffer.alloc(10_000_000) })).toEqual(everywhere('provider/failed'));
  });

  test.each([
    [
      'a handle without its state’s JSON',
      'acquire',
      encode(AcquireResponseSchema, { reply: { case: 'place', value: { kind: 'place', stateJson: Buffer.from('{') } } }),
    ],
    [
      'a handle of the wrong kind',
      'acquire',
      encode(AcquireResponseSchema, { reply: { case: 'place', value: { kind: 'job' } } }),
    ],
    [
      'a job’s handle that is a place',
      'start',
      encode(StartResponseSchema, { reply: { case: 'job', value: { kind: 'place' } } }),
    ],
    ['an exit that says nothing', 'wait', encode(WaitResponseSchema, { reply: { case: 'exit', value: {} } })],
    [
      'a log of no stream',
      'logs',
      encode(LogsResponseSchema, { reply: { case: 'batch', value: { pieces: [{ cursor: 'c' }] } } }),
    ],
    [
      'a log cut inside a chunk',
      'logs',
      encode(LogsResponseSchema, { reply: { case: 'batch', value: { pieces: [{ stream: 1 }] } } }),
    ],
    [
      'a file without end',
      'collect',
      encode(CollectResponseSchema, {
        reply: {
          case: 'batch',
          value: { items: [{ item: { case: 'entry', value: { path: 'f', kind: { case: 'file', value: {} } } } }] },
        },
      }),
    ],
    [
      'an entry of no kind',
      'collect',
      encode(CollectResponseSchema, {
        reply: { case: 'batch', value: { items: [{ item: { case: 'entry', value: { path: 'f' } } }] } },
      }),
    ],
  ] satisfies [string, Verb, Buffer][])('%s', async (_name, verb, reply) => {
    expect((await outcomes({ reply }))[verb]).toBe('provider/failed');
  });

  test('a log chunk that never ends', async () => {
    const piece = { stream: 1, content: Buffer.alloc(1_000_000) };
    const reply = encode(LogsResponseSchema, { reply: { case: 'batch', value: { pieces: [piece] } } });
    let sent = 0;
    const forEver = async (stream: ServerWritableStream<Buffer, Buffer>) => {
      for (; !stream.cancelled; sent++)
        if (!stream.write(reply)) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
    };
    await using listening = await listen('unix', (server) => {
      server.addService(
        {
          describe: method('/errand.v1.ProviderService/Describe', false),
          logs: method('/errand.v1.RunnerService/Logs', true),
        },
        {
          describe: (_call: unknown, answer: (error: null, bytes: Buffer) => void) => answer(null, description),
          logs: (stream: ServerWritableStream<Buffer, Buffer>) => void forEver(stream).catch(() => undefined),
        },
      );
    });
    await using wired = await connectTo(listening.address);
    await expect(all(wired.runner?.logs({ key: 'k' }, undefined, ask()))).rejects.toMatchObject({ code: 'provider/failed' });
    expect(sent).toBeLessThan(200);
  });

  test('a path that leaves the workspace', async () => {
    const entry = { path: '../x', kind: { case: 'directory', value: {} } } as const;
    const reply = encode(CollectResponseSchema, {
      reply: { case: 'batch', value: { items: [{ item: { case: 'entry', value: entry } }] } },
    });
    expect((await outcomes({ reply })).collect).toBe('workspace/escape');
  });
});

describe('statuses', () => {
  const garbage = new Metadata();
  garbage.set('errand-error-bin', Buffer.from('ffffffff', 'hex'));

  test.each([
    [status.UNAVAILABLE, 'provider/unreachable'],
    [status.DEADLINE_EXCEEDED, 'provider/timeout'],
    [status.UNAUTHENTICATED, 'provider/auth'],
    [status.PERMISSION_DENIED, 'provider/auth'],
    [status.RESOURCE_EXHAUSTED, 'provider/failed'],
    // Without our own word for it, a missing page is not a missing job.
    [status.NOT_FOUND, 'provider/failed'],
    [status.UNIMPLEMENTED, 'environment/unsupported'],
    [status.INTERNAL, 'provider/failed'],
    [999, 'provider/failed'],
  ])('%i', async (code, expected) => {
    expect(await outcomes({ fail: { code, details: 'no' } })).toEqual(everywhere(expected));
    expect(await outcomes({ fail: { code, details: 'no', metadata: garbage } })).toEqual(everywhere(expected));
  });
});

describe('connecting', () => {
  test.each([
    ['no capabilities', encode(DescribeResponseSchema, { name: 'n' })],
    ['an unknown capability', encode(DescribeResponseSchema, { capabilities: { ...good, image: 'perhaps' } })],
    ['a schema that is not JSON', encode(DescribeResponseSchema, { capabilities: good, optionsSchemaJson: Buffer.from('{') })],
    ['noise', Buffer.from('ffff', 'hex')],
  ])('%s', async (_name, bytes) => {
    await using listening = await listen('unix', hostile({ describe: bytes }));
    await expect(connectTo(listening.address)).rejects.toMatchObject({ code: 'provider/failed' });
  });

  test('a server of something else', async () => {
    await using listening = await listen('unix', () => undefined);
    await expect(connectTo(listening.address)).rejects.toMatchObject({ code: 'environment/unsupported' });
  });

  test.each([['HTTP/1.1 400 Bad Request\r\n\r\n'], ['\0\xff\x13 noise '.repeat(1_000)], ['']])(
    'a server of no gRPC',
    async (text) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(text);
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      const before = Date.now();
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      await expect(connectTo(address, { patience: 3_000 })).rejects.toMatchObject({
        code: expect.stringMatching(/provider\/(unreachable|timeout|failed)/) as string,
      });
      expect(Date.now() - before).toBeLessThan(5_000);
      server.close();
    },
  );
});
