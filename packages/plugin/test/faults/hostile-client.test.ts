// A caller that asks wrongly is refused with a reason, and the server goes on for the others.
import { connect } from 'node:net';
import { Client, credentials, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TreeEntry } from '@errand/contract';
import { serveProvider } from '@errand/plugin';
import { connectTo, listen } from '../served.ts';
import type { Listening } from '../served.ts';
import { all, ask, job, place, stubProvider } from '../stub.ts';
import { encode } from '../../src/wire/definition.ts';
import { errorFrom } from '../../src/wire/error-details.ts';
import { sendHandle } from '../../src/wire/values.ts';
import { AcquireRequestSchema, RealizeRequestSchema, RenewRequestSchema } from '../../src/gen/errand/v1/host_pb.js';
import { StartRequestSchema } from '../../src/gen/errand/v1/runner_pb.js';

const same = (bytes: Buffer) => bytes;
const realized: (TreeEntry[] | 'failed')[] = [];
let listening: Listening;
let client: Client;

beforeAll(async () => {
  const provider = stubProvider({
    host: {
      acquire: async () => place,
      renew: async () => undefined,
      realize: async (_place, files) => {
        realized.push(
          await all(files).catch((error: unknown) => {
            realized.push('failed');
            throw error;
          }),
        );
      },
    },
    runner: { start: async () => job, wait: async () => ({ kind: 'exited', code: 0 }) },
  });
  listening = await listen('tcp', (server) => serveProvider(server, provider, { name: 's', version: '1' }));
  client = new Client(listening.address, credentials.createInsecure());
});

afterAll(async () => {
  client.close();
  await listening[Symbol.asyncDispose]();
});

function unary(path: string, bytes: Buffer): Promise<unknown> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, bytes, (error, reply) => (error ? reject(error) : resolve(reply)));
  });
}

function stream(path: string, requests: readonly Buffer[], end = true): Promise<unknown> {
  const calling = client.makeBidiStreamRequest(path, same, same);
  calling.on('error', () => undefined);
  for (const request of requests) calling.write(request);
  if (end) calling.end();
  else setTimeout(() => calling.cancel(), 100);
  return all(calling);
}

async function errorOf(work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('it was taken');
}

const realizePath = '/errand.v1.HostService/Realize';
const part = (value: Parameters<typeof encode<typeof RealizeRequestSchema>>[1]) => encode(RealizeRequestSchema, value);
const header = () => part({ part: { case: 'header', value: { place: sendHandle(place), call: { key: 'k', epoch: 1n } } } });
const file = { path: 'f', kind: { case: 'file', value: { mode: 1, size: 1n } } } as const;

describe('requests', () => {
  test.each([
    ['no spec', '/errand.v1.HostService/Acquire', encode(AcquireRequestSchema, { call: { key: 'k' } })],
    ['no call', '/errand.v1.HostService/Acquire', encode(AcquireRequestSchema, { spec: { owner: 'o' } })],
    [
      'options that are not JSON',
      '/errand.v1.HostService/Acquire',
      encode(AcquireRequestSchema, { call: { key: 'k' }, spec: { optionsJson: Buffer.from('{') } }),
    ],
    ['no place', '/errand.v1.HostService/Renew', encode(RenewRequestSchema, { call: { key: 'k' } })],
    [
      'a job’s handle for a place',
      '/errand.v1.HostService/Renew',
      encode(RenewRequestSchema, { call: { key: 'k' }, place: sendHandle(job) }),
    ],
    ['no command', '/errand.v1.RunnerService/Start', encode(StartRequestSchema, { call: { key: 'k' }, spec: { owner: 'o' } })],
    [
      'an empty command',
      '/errand.v1.RunnerService/Start',
      encode(StartRequestSchema, { call: { key: 'k' }, spec: { command: {} } }),
    ],
    ['no job', '/errand.v1.RunnerService/Wait', Buffer.alloc(0)],
  ])('%s is told in words', async (_name, path, bytes) => {
    const error = await errorOf(unary(path, bytes));
    expect(error.code).toBe(status.INVALID_ARGUMENT);
    expect(errorFrom(error.metadata, undefined)).toMatchObject({ code: 'usage/invalid' });
  });

  test.each([
    ['noise', Buffer.from('ffffffff', 'hex'), status.INTERNAL],
    ['10 MB', Buffer.alloc(10_000_000), status.RESOURCE_EXHAUSTED],
  ])('%s is refused', async (_name, bytes, code) => {
    for (const path of ['/errand.v1.HostService/Renew', '/errand.v1.RunnerService/Wait']) {
      expect((await errorOf(unary(path, bytes))).code).toBe(code);
    }
  });
});

describe('a tree', () => {
  test.each([
    ['nothing at all', []],
    ['no header', [part({ part: { case: 'end', value: {} } })]],
    ['no end', [header()]],
    [
      'an end inside a file',
      [
        header(),
        part({ part: { case: 'batch', value: { items: [{ item: { case: 'entry', value: file } }] } } }),
        part({ part: { case: 'end', value: {} } }),
      ],
    ],
    ['two headers', [header(), header(), part({ part: { case: 'end', value: {} } })]],
  ])('with %s is refused', async (_name, requests) => {
    realized.length = 0;
    const error = await errorOf(stream(realizePath, requests));
    expect(errorFrom(error.metadata, undefined)).toMatchObject({ code: 'usage/invalid' });
    expect(realized.filter((one) => one !== 'failed')).toEqual([]);
  });

  test.each([['../x'], ['/x'], ['a/../../x']])('that holds %s is refused', async (path) => {
    const item = { item: { case: 'entry', value: { ...file, path } } } as const;
    const error = await errorOf(stream(realizePath, [header(), part({ part: { case: 'batch', value: { items: [item] } } })]));
    expect(errorFrom(error.metadata, undefined)).toMatchObject({ code: 'workspace/escape' });
  });

  test('whose sender vanishes is not taken for a whole one', async () => {
    realized.length = 0;
    await errorOf(stream(realizePath, [header()], false));
    await expect.poll(() => realized).toEqual(['failed']);
  });
});

test('noise on the socket ends that connection only', async () => {
  const port = Number(listening.address.split(':')[1]);
  for (const noise of ['GET / HTTP/1.1\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0', '\xff'.repeat(100_000)]) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(noise));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
      setTimeout(() => socket.destroy(), 500);
    });
  }
  await using wired = await connectTo(listening.address);
  expect(await wired.runner?.wait({ key: 'k' }, ask())).toEqual({ kind: 'exited', code: 0 });
});
