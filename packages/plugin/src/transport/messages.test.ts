import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from '../gen/grpc/health/v1/health_pb.js';
import { GRPCBroker } from '../gen/plugin/grpc_broker_pb.js';
import { GRPCController } from '../gen/plugin/grpc_controller_pb.js';
import { GRPCStdio, StdioData_Channel, StdioDataSchema } from '../gen/plugin/grpc_stdio_pb.js';
import { serviceDefinition } from '../wire/definition.ts';
import { healthReply, healthRequest, stdioData } from './messages.ts';
import { broker, controller, health, stdio } from './services.ts';

test('the generated code writes and reads the same bytes', () => {
  const data = Buffer.from('hi');
  const generated = create(StdioDataSchema, { channel: StdioData_Channel.STDERR, data });
  expect(stdioData.write({ channel: 'stderr', data })).toEqual(Buffer.from(toBinary(StdioDataSchema, generated)));
  expect(stdioData.read(Buffer.from(toBinary(StdioDataSchema, generated)))).toEqual({ channel: 'stderr', data });
  const asked = create(HealthCheckRequestSchema, { service: 'plugin' });
  expect(healthRequest.write({ service: 'plugin' })).toEqual(Buffer.from(toBinary(HealthCheckRequestSchema, asked)));
  for (const serving of [true, false]) {
    const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
    const reply = create(HealthCheckResponseSchema, { status: serving ? SERVING : NOT_SERVING });
    expect(healthReply.write({ serving })).toEqual(Buffer.from(toBinary(HealthCheckResponseSchema, reply)));
  }
});

test('the services are those of the generated code', () => {
  const ours = [...Object.values(controller), ...Object.values(stdio), ...Object.values(broker), ...Object.values(health)];
  const theirs = [GRPCController, GRPCStdio, GRPCBroker, Health].flatMap((service) => Object.values(serviceDefinition(service)));
  const shape = (methods: readonly { path: string; requestStream: boolean; responseStream: boolean }[]) =>
    methods.map(({ path, requestStream, responseStream }) => ({ path, requestStream, responseStream }));
  expect(shape(theirs)).toEqual(expect.arrayContaining(shape(ours)));
});

test('what was written is read, with unknown fields in between', () => {
  const extra = Buffer.from('9a060178', 'hex');
  const data = fc.record({ channel: fc.constantFrom('stdout' as const, 'stderr' as const), data: fc.uint8Array() });
  fc.assert(
    fc.property(data, (each) => {
      const read = stdioData.read(Buffer.concat([extra, stdioData.write(each), extra]));
      expect({ ...read, data: Buffer.from(read.data) }).toEqual({ ...each, data: Buffer.from(each.data) });
    }),
  );
  expect(healthReply.read(healthReply.write({ serving: false }))).toEqual({ serving: false });
  expect(healthReply.read(Buffer.alloc(0))).toEqual({ serving: false });
  expect(healthRequest.read(healthRequest.write({ service: 'x' }))).toEqual({ service: 'x' });
});

test('garbage is an error or a message, and never hangs', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      for (const read of [stdioData.read, healthReply.read, healthRequest.read]) {
        try {
          read(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
