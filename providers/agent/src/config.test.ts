import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { optionsSchema } from './config.ts';
import { connectionData, connectionOf, farOptions, readConnection } from './connection.ts';

const schema = optionsSchema('/etc/project');
const far = {
  address: 'mac.example.com:7443',
  token: { secret: 'secret://file/mac' },
  tls: { ca: 'ca.pem', server_name: 'mac' },
};

test('paths are meant from where they were written', () => {
  const tls = { ca: '../ca.pem', cert: '~/client.pem', key: '/k.pem' };
  expect(schema.parse({ ...far, tls }).tls).toEqual({ ca: '/etc/ca.pem', cert: `${homedir()}/client.pem`, key: '/k.pem' });
});

test.each([
  [{ ...far, tls: false }, 'tls'],
  [{ ...far, address: 'mac.example.com' }, 'address'],
  [{ ...far, address: 'unix:relative' }, 'address'],
  [{ ...far, token: { secret: 'plain-text' } }, 'token'],
  [{ ...far, token: 'plain-text' }, 'token'],
  [{ ...far, tls: { cert: 'a' } }, 'tls'],
  [{ ...far, protocol: 'other' }, 'protocol'],
])('%j is refused', (options, where) => {
  expect(schema.safeParse(options).error?.issues[0]?.path[0]).toBe(where);
});

test.each(['127.0.0.1:1', 'localhost:1', '[::1]:1', 'unix:/run/a.sock'])('%s may do without TLS', (address) => {
  expect(schema.safeParse({ address, tls: false }).success).toBe(true);
});

test('a connection survives being written down, and holds a token’s name only', () => {
  const connection = connectionOf(schema.parse(far) as never);
  expect(connection).toEqual({
    address: far.address,
    token: far.token.secret,
    tls: { ca: '/etc/project/ca.pem', serverName: 'mac' },
  });
  expect(connection && readConnection(connectionData(connection))).toEqual(connection);
  expect(connectionOf({ address: 'unix:/run/a.sock' })).toEqual({ address: 'unix:/run/a.sock', tls: false });
  // What lies in a handle cannot turn TLS off.
  expect(readConnection({ address: far.address, tls: false })?.tls).toEqual({});
});

test('the far side sees its own keys and the profile, nothing of the way there', () => {
  expect(farOptions({ ...far, profile: 'strict', options: { workdir: '/w' } })).toEqual({ workdir: '/w', profile: 'strict' });
  expect(farOptions(far)).toEqual({});
});

test('editors get a schema that stands by itself', () => {
  const text = JSON.stringify(z.toJSONSchema(optionsSchema(), { io: 'input' }));
  expect(text).not.toContain('$ref');
});
