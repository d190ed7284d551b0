// Whatever bytes come, a decoder gives a value of the contract or says what is wrong; and what we send we can read.
import { fromBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { Metadata } from '@grpc/grpc-js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ErrandError, isErrandError } from '@errand/contract';
import type { JobExit, JobSpec, Json, PlaceSpec, Seen } from '@errand/contract';
import { SeenSchema } from '../gen/errand/v1/handle_pb.js';
import { PlaceSpecSchema } from '../gen/errand/v1/host_pb.js';
import { CapabilitiesSchema } from '../gen/errand/v1/provider_pb.js';
import { JobExitSchema, JobSpecSchema, LogBatchSchema } from '../gen/errand/v1/runner_pb.js';
import { readCapabilities } from './capabilities.ts';
import { encode } from './definition.ts';
import { errorFrom, failureOf } from './error-details.ts';
import { readExit, sendExit } from './exit.ts';
import { jsonValue } from './json.ts';
import { createChunkReader } from './log-pieces.ts';
import { Malformed } from './malformed.ts';
import { readJobSpec, readPlaceSpec, sendJobSpec, sendPlaceSpec } from './specs.ts';
import { readSeen, sendSeen } from './values.ts';

const text = fc.string({ unit: 'grapheme' });
// JSON has one zero, and a map of the wire has no such key.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
const words = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  text,
);
const time = fc.double({ min: 0, max: 1e13, noNaN: true });

const handle = <K extends 'place' | 'job'>(kind: K) =>
  fc.record({ kind: fc.constant(kind), provider: text, version: fc.nat(), state: json });
const resources = fc.record({ cpu: time, memory: time }, { requiredKeys: [] });
const common = { owner: text, resources, labels: words, options: json };

const placeSpec: fc.Arbitrary<PlaceSpec> = fc.record(
  { ...common, expiresAt: time, image: text, standing: fc.boolean() },
  { requiredKeys: ['owner', 'resources', 'labels', 'options', 'expiresAt'] },
);
const jobSpec: fc.Arbitrary<JobSpec> = fc.record(
  {
    ...common,
    place: handle('place'),
    command: fc.oneof(fc.record({ argv: fc.array(text) }), fc.record({ script: text })),
    env: words,
    secretEnv: words,
    image: text,
    timeout: time,
    grace: time,
  },
  { requiredKeys: ['owner', 'resources', 'labels', 'options', 'command', 'env', 'secretEnv', 'grace'] },
);
const times = { startedAt: time, endedAt: time };
const exit: fc.Arbitrary<JobExit> = fc.oneof(
  fc.record({ kind: fc.constant('exited'), code: fc.integer(), ...times }, { requiredKeys: ['kind', 'code'] }),
  fc.record({ kind: fc.constant('signalled'), signal: text, ...times }, { requiredKeys: ['kind', 'signal'] }),
  fc.record({ kind: fc.constant('timed-out'), ...times }, { requiredKeys: ['kind'] }),
  fc.record({ kind: fc.constant('lost'), evidence: text, ...times }, { requiredKeys: ['kind', 'evidence'] }),
  fc.record({ kind: fc.constant('errored'), reason: fc.constantFrom('oom', 'image'), message: text }),
);
const seen: fc.Arbitrary<Seen<'job'>> = fc.record(
  { key: text, handle: handle('job'), expiresAt: time, alive: fc.boolean() },
  { requiredKeys: ['key', 'handle', 'alive'] },
);

describe('what is sent can be read', () => {
  const same = <T>(name: string, values: fc.Arbitrary<T>, carry: (value: T) => T) =>
    test(`${name} are the same`, () => {
      const check = (value: T) => {
        expect(carry(value)).toEqual(value);
      };
      fc.assert(fc.property(values, check));
    });

  same('place specs', placeSpec, (spec) =>
    readPlaceSpec(fromBinary(PlaceSpecSchema, encode(PlaceSpecSchema, sendPlaceSpec(spec)))),
  );
  same('job specs', jobSpec, (spec) => readJobSpec(fromBinary(JobSpecSchema, encode(JobSpecSchema, sendJobSpec(spec)))));
  same('exits', exit, (one) => readExit(fromBinary(JobExitSchema, encode(JobExitSchema, sendExit(one)))));
  same('lists', seen, (one) => readSeen('job', fromBinary(SeenSchema, encode(SeenSchema, sendSeen(one)))));
});

describe('any bytes give a value or a word on what is wrong', () => {
  const readers: readonly (readonly [DescMessage, (message: never) => unknown])[] = [
    [PlaceSpecSchema, readPlaceSpec],
    [JobSpecSchema, readJobSpec],
    [JobExitSchema, readExit],
    [CapabilitiesSchema, readCapabilities],
    [SeenSchema, (message: MessageShape<typeof SeenSchema>) => readSeen('place', message)],
    [
      LogBatchSchema,
      ({ pieces }: MessageShape<typeof LogBatchSchema>) => {
        const reader = createChunkReader();
        for (const piece of pieces) reader.push(piece);
        reader.finish();
      },
    ],
  ];
  // Plain noise, and the bytes of a real message with some of them changed.
  const real = encode(JobSpecSchema, {
    owner: 'o',
    command: { kind: { case: 'script', value: 'x' } },
    optionsJson: Buffer.from('{}'),
  });
  const bent = fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }).map((changes) => {
    const bytes = Buffer.from(real);
    for (const [at, value] of changes) bytes[at] = value;
    return bytes;
  });
  const noise = fc.oneof(fc.uint8Array({ maxLength: 200 }), bent);

  test.each(readers.map(([type, read]) => [type.typeName, type, read] as const))('%s', (_name, type, read) => {
    const attempt = (bytes: Uint8Array) => {
      let message;
      try {
        message = fromBinary(type, bytes);
      } catch {
        return; // The library said so, and gRPC makes a status of it.
      }
      try {
        read(message as never);
      } catch (error) {
        expect(error).toBeInstanceOf(Malformed);
      }
    };
    fc.assert(fc.property(noise, attempt), { numRuns: 2_000 });
  });

  test('JSON bytes', () => {
    const attempt = (bytes: Uint8Array) => {
      try {
        jsonValue(bytes, 'it');
      } catch (error) {
        expect(error).toBeInstanceOf(Malformed);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 30 }), attempt), { numRuns: 2_000 });
    expect(jsonValue(Buffer.alloc(0), 'it')).toBe(null);
  });

  test('error details', () => {
    const attempt = (bytes: Uint8Array) => {
      const metadata = new Metadata();
      metadata.set('errand-error-bin', Buffer.from(bytes));
      const error = errorFrom(metadata, undefined);
      expect(error === undefined || isErrandError(error)).toBe(true);
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), attempt), { numRuns: 2_000 });
    const { metadata } = failureOf(new ErrandError('provider/quota', 'm'));
    expect(errorFrom(metadata, undefined)).toMatchObject({ code: 'provider/quota', message: 'm', retry: 'later' });
  });
});
