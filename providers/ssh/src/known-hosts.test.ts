import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { lineFor, readKnownHosts, typeOf } from './known-hosts.ts';

const key = (seed: string) => {
  const type = Buffer.from('ssh-ed25519');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, type, Buffer.from(seed)]);
};
const one = key('one').toString('base64');
const find = (text: string, host: string, port = 22) => readKnownHosts(text, { host, port });
const lines = (text: string, host: string, port = 22) => find(text, host, port).keys.map(({ line }) => line);

test('plain names, lists, other ports, comments and empty lines', () => {
  const text = `# known\n\nalpha,10.0.0.1 ssh-ed25519 ${one} me@here\n[alpha]:2222 ssh-ed25519 ${one}\nbeta ssh-rsa AAAA\n`;
  expect(lines(text, 'alpha')).toEqual([3]);
  expect(lines(text, 'ALPHA')).toEqual([3]);
  expect(lines(text, '10.0.0.1')).toEqual([3]);
  expect(lines(text, 'alpha', 2222)).toEqual([4]);
  expect(lines(text, 'gamma')).toEqual([]);
  expect(find(text, 'alpha').keys[0]?.key.equals(key('one'))).toBe(true);
});

test('patterns, and exclusions that win', () => {
  const text = `*.example.com,!bad.example.com ssh-ed25519 ${one}\nhost? ssh-ed25519 ${one}\n`;
  expect(lines(text, 'good.example.com')).toEqual([1]);
  expect(lines(text, 'bad.example.com')).toEqual([]);
  expect(lines(text, 'host1')).toEqual([2]);
  expect(lines(text, 'host12')).toEqual([]);
  // A dot is a dot.
  expect(lines(text, 'goodXexample.com')).toEqual([]);
});

test('hashed names', () => {
  const salt = Buffer.from('0123456789abcdef0123');
  const hash = (name: string) => `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
  const text = `${hash('alpha')} ssh-ed25519 ${one}\n${hash('[alpha]:2222')} ssh-ed25519 ${one}\n`;
  expect(lines(text, 'alpha')).toEqual([1]);
  expect(lines(text, 'alpha', 2222)).toEqual([2]);
  expect(lines(text, 'beta')).toEqual([]);
});

test('markers', () => {
  const text = `@revoked * ssh-ed25519 ${one}\n@cert-authority *.example.com ssh-ed25519 ${one}\n@unheard-of alpha ssh-ed25519 ${one}\n`;
  expect(find(text, 'alpha')).toMatchObject({ keys: [], revoked: [{ line: 1 }], certified: false });
  expect(find(text, 'a.example.com')).toMatchObject({ keys: [], certified: true });
});

test('a line that was made for a person is one that is found', () => {
  for (const port of [22, 2200]) {
    const line = lineFor({ host: 'alpha', port }, key('one'));
    expect(lines(line, 'alpha', port)).toEqual([1]);
  }
  expect(typeOf(key('one'))).toBe('ssh-ed25519');
  expect(typeOf(Buffer.from('xy'))).toBe('');
});
