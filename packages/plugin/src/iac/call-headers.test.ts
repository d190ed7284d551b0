import { Metadata } from '@grpc/grpc-js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { derivedKey, readCallHeaders, sendCallHeaders } from './call-headers.ts';

test('any key and epoch arrive, in what metadata may hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.maxSafeNat(), (key, epoch) => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(sendCallHeaders({ key, epoch }))) metadata.set(name, value);
      expect(readCallHeaders(metadata, ['other'])).toEqual({ key, epoch });
    }),
  );
});

test('without them the key comes from what is asked for, however it is written', () => {
  const none = new Metadata();
  const { key, epoch } = readCallHeaders(none, ['create', 't', 'n', { a: 1, b: { c: [1], d: 2 } }]);
  expect(epoch).toBe(0);
  expect(readCallHeaders(none, ['create', 't', 'n', { b: { d: 2, c: [1] }, a: 1 }]).key).toBe(key);
  expect(derivedKey(['create', 't', 'n', { a: 1, b: { c: [2], d: 2 } }])).not.toBe(key);
  expect(key).toMatch(/^[0-9a-f]{32}$/);
});

test('headers that make no sense are none', () => {
  const metadata = new Metadata();
  metadata.set('errand-key', '%zz');
  metadata.set('errand-epoch', 'soon');
  expect(readCallHeaders(metadata, ['x'])).toEqual({ key: '%zz', epoch: 0 });
});
