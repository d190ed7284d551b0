// A far side that has our DriverService and answers wrongly on it, or never.
import { Client, credentials } from '@grpc/grpc-js';
import type { MethodDefinition, Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  ChangeManyResponseSchema,
  CreateResponseSchema,
  DiffManyResponseSchema,
  DriverFactsSchema,
  DriverService,
  ReadManyResponseSchema,
} from '../../src/gen/errand/v1/driver_pb.js';
import { connectDriver } from '../../src/iac/connect-driver.ts';
import { connectOwnDriver } from '../../src/iac/connect-own-driver.ts';
import { gatherChanges } from '../../src/iac/gather-changes.ts';
import { defaultPatience } from '../../src/iac/line.ts';
import { encode } from '../../src/wire/definition.ts';
import { listen } from '../served.ts';
import { ask, call } from '../stub.ts';

const same = (bytes: Buffer) => bytes;

/** Every method answers with the same bytes; without any, never. */
const answering = (reply: Buffer | undefined) => (server: Server) => {
  const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {};
  const implementation: Record<string, unknown> = {};
  for (const { localName, name, methodKind } of DriverService.methods) {
    const raw = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
    const responseStream = methodKind !== 'unary';
    definition[localName] = { path: `/${DriverService.typeName}/${name}`, requestStream: false, responseStream, ...raw };
    implementation[localName] = responseStream
      ? (stream: { write(bytes: Buffer): void; end(): void }) => {
          if (!reply) return;
          stream.write(reply);
          stream.end();
        }
      : (_call: unknown, done: (error: null, bytes: Buffer) => void) => reply && done(null, reply);
  }
  server.addService(definition, implementation as UntypedServiceImplementation);
};

const ref = { name: 'n', type: 't' };
const spec = { ...ref, config: {}, dependsOn: [] };
const output = { ...ref, providerId: 'i', outputs: {}, sensitive: [], status: '' };

async function outcomes(reply: Buffer | undefined, many = false): Promise<readonly unknown[]> {
  await using listening = await listen('unix', answering(reply));
  const client = new Client(listening.address, credentials.createInsecure());
  try {
    const patience = reply ? defaultPatience : { facts: 300, asks: 300, changes: 300 };
    const line = { link: { client, name: 'tested', metadata: undefined }, patience, declares: () => true };
    const facts = create(DriverFactsSchema, { resourceType: 't', methods: ['replace', 'adopt', 'newer'] });
    const driver = connectOwnDriver(line, facts, connectDriver(line, 't', []), gatherChanges(line, many));
    const asked: readonly unknown[] = [
      driver.create(spec, call()),
      driver.update(ref, spec, call()),
      driver.replace?.(ref, spec, call()),
      driver.readMany?.([ref, ref], ask()),
      driver.diffMany?.([{ desired: spec, current: output }], ask()),
      driver.adopt?.(spec),
    ];
    return await Promise.all(
      asked.map(async (one) =>
        Promise.resolve(one).then(
          () => 'fine',
          ({ code, message }: { code?: string; message: string }) => code ?? message,
        ),
      ),
    );
  } finally {
    client.close();
  }
}

const all = (code: string) => ['create', 'update', 'replace', 'readMany', 'diffMany', 'adopt'].map(() => code);

test('a good end without an answer, or with fewer answers than questions', async () => {
  expect(await outcomes(Buffer.alloc(0))).toEqual([...all('provider/failed').slice(1), 'fine']);
  const one = encode(ReadManyResponseSchema, {
    reply: { case: 'outputsJson', value: Buffer.from(`[${JSON.stringify(output)}]`) },
  });
  expect((await outcomes(one))[3]).toBe('provider/failed');
});

test('JSON that is none, or of another shape', async () => {
  const json = (text: string) => Buffer.from(text);
  for (const text of ['{', '[]', '{"name":1}', 'null', '[{"name":"n"}]']) {
    const created = await outcomes(encode(CreateResponseSchema, { reply: { case: 'outputJson', value: json(text) } }));
    expect(created.slice(0, 3)).toEqual(all('provider/failed').slice(0, 3));
    const read = await outcomes(encode(ReadManyResponseSchema, { reply: { case: 'outputsJson', value: json(text) } }));
    expect(read[3]).toBe('provider/failed');
    const compared = await outcomes(encode(DiffManyResponseSchema, { reply: { case: 'diffsJson', value: json(text) } }));
    expect(compared[4]).toBe('provider/failed');
  }
});

test('bytes that are no message', async () => {
  expect(await outcomes(Buffer.from('ffffffffffffffff', 'hex'))).toEqual(all('provider/failed'));
});

test('no answer ends at the deadline', async () => {
  expect(await outcomes(undefined)).toEqual(all('provider/timeout'));
  expect(await outcomes(undefined, true)).toEqual(all('provider/timeout'));
});

test('many changes in one call: no end, the wrong one, twice, of no shape, or no message at all', async () => {
  const changes = (outcome: readonly unknown[]) => outcome.slice(0, 3);
  const failed = changes(all('provider/failed'));
  expect(changes(await outcomes(Buffer.alloc(0), true))).toEqual(failed);
  expect(changes(await outcomes(Buffer.from('ffffffffffffffff', 'hex'), true))).toEqual(failed);
  const ended = (text: string, ...indexes: number[]) => {
    const value = Buffer.from(text);
    const replies = indexes.map((index) => ({ index, reply: { case: 'outputJson' as const, value } }));
    return outcomes(encode(ChangeManyResponseSchema, { replies }), true).then(changes);
  };
  for (const text of ['{', '[]', 'null']) expect(await ended(text, 0, 1, 2)).toEqual(failed);
  expect(await ended(JSON.stringify(output), 7, 4_000_000_000)).toEqual(failed);
  expect(await ended(JSON.stringify(output), 1, 1, 1)).toEqual(['provider/failed', 'fine', 'provider/failed']);
  const odd = { code: 'store/corrupt', retry: 'always', message: 'm', next: '', diagnostics: [] };
  const replies = [{ index: 0, reply: { case: 'error' as const, value: odd } }, { index: 1 }, { index: 2 }];
  expect(changes(await outcomes(encode(ChangeManyResponseSchema, { replies }), true))).toEqual(failed);
});
