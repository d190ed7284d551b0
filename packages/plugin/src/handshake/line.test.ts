import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatHandshake, longestLine, parseHandshake } from './line.ts';
import type { Handshake } from './line.ts';

const plain = (line: string) => {
  const parsed = parseHandshake(line);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

test('what a Go plugin prints is understood', () => {
  expect(plain('1|1|unix|/tmp/plugin42|grpc||true')).toEqual({
    endpoint: { network: 'unix', path: '/tmp/plugin42' },
    multiplexes: true,
  });
  expect(plain('1|1|tcp|127.0.0.1:10000|grpc').endpoint).toEqual({ network: 'tcp', host: '127.0.0.1', port: 10_000 });
  expect(plain('1|1|tcp|[::1]:10000|grpc').endpoint).toEqual({ network: 'tcp', host: '::1', port: 10_000 });
});

test('the protocol may be left out, and a carriage return at the end is no part of the line', () => {
  expect(plain('1|1|unix|/s\r').endpoint).toEqual({ network: 'unix', path: '/s' });
});

test('a certificate may come with padding or without', () => {
  for (const encoded of ['AAECAw', 'AAECAw==']) {
    expect(plain(`1|1|unix|/s|grpc|${encoded}`).certificate).toEqual(Buffer.from([0, 1, 2, 3]));
  }
});

test.each([
  ['', /no handshake/],
  ['hello', /no handshake/],
  ['1|1|unix', /no handshake/],
  ['2|1|unix|/s|grpc', /version "2" of the handshake/],
  ['1|7|unix|/s|grpc', /version "7" of the provider contract/],
  ['1|1|unix|/s|netrpc', /speaks "netrpc"/],
  ['1|1|unix|/s|', /speaks ""/],
  ['1|1|unix|relative|grpc', /not an absolute path/],
  ['1|1|pipe|/s|grpc', /network "pipe"/],
  ['1|1|tcp|10.0.0.1:80|grpc', /not an address of this machine alone/],
  ['1|1|tcp|0.0.0.0:80|grpc', /not an address of this machine alone/],
  ['1|1|tcp|[::]:80|grpc', /not an address of this machine alone/],
  ['1|1|tcp|127.999.0.1:80|grpc', /not an address of this machine alone/],
  ['1|1|tcp|localhost:80|grpc', /not an IP address/],
  ['1|1|tcp|127.0.0.1.example.com:80|grpc', /not an IP address/],
  ['1|1|tcp|127.0.0.1:0|grpc', /not an IP address/],
  ['1|1|tcp|127.0.0.1:65536|grpc', /not an IP address/],
  ['1|1|unix|/s|grpc|not base64!', /not base64/],
  [`1|1|unix|/${'s'.repeat(longestLine)}`, /longer than/],
])('%j is refused', (line, reason) => {
  expect(parseHandshake(line)).toMatch(reason);
});

test('a refusal is short and printable whatever came', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc
      .array(fc.oneof(fc.constantFrom('1', '2', 'unix', 'tcp', 'grpc', '/s', '127.0.0.1:1', ''), fc.string({ unit: 'binary' })))
      .map((fields) => fields.join('|')),
  );
  fc.assert(
    fc.property(line, (text) => {
      const parsed = parseHandshake(text);
      if (typeof parsed === 'string') {
        expect(parsed.length).toBeLessThan(700);
        // oxlint-disable-next-line no-control-regex
        expect(parsed).not.toMatch(/[\u0000-\u001F]/);
      } else if (parsed.endpoint.network === 'tcp') expect(parsed.endpoint.host).toMatch(/^(127\.[0-9.]+|::1)$/);
      else expect(parsed.endpoint.path).toMatch(/^\//);
    }),
    { numRuns: 5000 },
  );
});

test('what we print we understand', () => {
  const endpoint = fc.oneof(
    fc.record({ network: fc.constant('unix' as const), path: fc.stringMatching(/^\/[\w./-]{0,90}$/) }),
    fc.record({
      network: fc.constant('tcp' as const),
      host: fc.constantFrom('127.0.0.1', '::1'),
      port: fc.integer({ min: 1, max: 65_535 }),
    }),
  );
  const certificate = fc.uint8Array({ minLength: 1, maxLength: 900 }).map((bytes) => Buffer.from(bytes));
  const handshake = fc.record(
    { endpoint, multiplexes: fc.boolean(), certificate },
    { requiredKeys: ['endpoint', 'multiplexes'] },
  );
  fc.assert(
    fc.property(handshake, (each) => {
      expect(parseHandshake(formatHandshake(each as Handshake))).toEqual(each);
    }),
  );
});
