import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { healthReply, healthRequest, stdioData } from './messages.ts';

test('the bytes are those of the public protocol', () => {
  expect(stdioData.write({ channel: 'stderr', data: Buffer.from('hi') }).toString('hex')).toBe('080212026869');
  expect(healthRequest.write({ service: 'plugin' }).toString('hex')).toBe('0a06706c7567696e');
  expect(healthReply.write({ serving: true }).toString('hex')).toBe('0801');
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
