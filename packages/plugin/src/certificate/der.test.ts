import { expect, test } from 'vitest';
import { integer, objectId, time, value } from './der.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('lengths take the short form below 128 and the long one from there', () => {
  expect(hex(value(4, Buffer.alloc(127)).subarray(0, 2))).toBe('047f');
  expect(hex(value(4, Buffer.alloc(128)).subarray(0, 3))).toBe('048180');
  expect(hex(value(4, Buffer.alloc(65_536)).subarray(0, 5))).toBe('0483010000');
});

test('integers are positive and as short as can be', () => {
  expect(hex(integer(Buffer.from([0, 0, 1])))).toBe('020101');
  expect(hex(integer(Buffer.from([0x80])))).toBe('02020080');
  expect(hex(integer(Buffer.from([0, 0])))).toBe('020100');
  expect(hex(integer(Buffer.alloc(0)))).toBe('020100');
});

test('object ids with parts of several bytes', () => {
  expect(hex(objectId('1.2.840.10045.4.3.2'))).toBe('06082a8648ce3d040302');
});

test('years from 2050 on are written in full', () => {
  expect(time(new Date('2049-12-31T23:59:59.500Z')).toString('latin1')).toBe('\x17\r491231235959Z');
  expect(time(new Date('2050-01-01T00:00:00Z')).toString('latin1')).toBe('\x18\x0f20500101000000Z');
});
