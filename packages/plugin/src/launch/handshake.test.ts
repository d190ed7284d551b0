import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isErrandError } from '@errand/contract';
import { channelAddress, parseHandshake } from './handshake.ts';

test.each([
  ['1|1|unix|/tmp/plugin123|grpc||true\n', { network: 'unix', address: '/tmp/plugin123' }],
  ['1|1|unix|/tmp/p', { network: 'unix', address: '/tmp/p' }],
  ['1|1|tcp|127.0.0.1:1234|grpc|short', { network: 'tcp', address: '127.0.0.1:1234' }],
  [`1|1|tcp|[::1]:80|grpc|${'A'.repeat(60)}|false`, { network: 'tcp', address: '[::1]:80', certificate: 'A'.repeat(60) }],
])('%s', (line, expected) => {
  expect(parseHandshake(line)).toEqual(expected);
});

test.each([
  [''],
  ['hello'],
  ['1|1|unix'],
  ['1|1|unix|'],
  ['2|1|unix|/tmp/p|grpc'],
  ['1|2|unix|/tmp/p|grpc'],
  ['1|1|unix|/tmp/p|netrpc'],
  ['1|1|udp|/tmp/p|grpc'],
  ['1|1|unix|relative|grpc'],
  ['1|1|tcp|10.0.0.1:80|grpc'],
  ['1|1|tcp|127.0.0.1:0|grpc'],
  ['1|1|tcp|127.0.0.1:99999|grpc'],
  ['1|1|tcp|127.0.0.1.example.com:80|grpc'],
])('%j is refused', (line) => {
  expect(() => parseHandshake(line)).toThrow(expect.objectContaining({ code: 'provider/failed' }) as Error);
});

test('any line is a handshake to this machine, or is refused in words', () => {
  const field = fc.oneof(fc.constantFrom('1', 'unix', 'tcp', '/tmp/x', '127.0.0.1:80', 'grpc', ''), fc.string());
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(field, { maxLength: 8 }).map((fields) => fields.join('|')),
  );
  const attempt = (text: string) => {
    try {
      expect(channelAddress(parseHandshake(text))).toMatch(/^(unix:\/|127\.|localhost:|\[::1\]:)/);
    } catch (error) {
      expect(isErrandError(error, 'provider/failed')).toBe(true);
      expect((error as Error).message.length).toBeLessThan(2_000);
    }
  };
  fc.assert(fc.property(line, attempt), { numRuns: 5_000 });
});
