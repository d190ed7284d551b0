import { expect, test } from 'vitest';
import { isLoopback, listenText, parseListen, refuseOpenDoors } from './listen.ts';

const shut = { tls: false, token: false, open: false };

test('addresses are read and written back', () => {
  for (const text of ['127.0.0.1:7443', '[::1]:0', 'mac.example.com:7443', 'unix:/run/errand/agent.sock']) {
    expect(listenText(parseListen(text))).toBe(text);
  }
  expect(listenText(parseListen('unix:///run/a.sock'))).toBe('unix:/run/a.sock');
  for (const text of ['', ':7443', '7443', 'host', 'host:70000', '::1:80', '[x]:1', 'unix:relative', 'http://host:1']) {
    expect(() => parseListen(text), text).toThrow(/cannot listen on/);
  }
});

test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost', '::ffff:127.0.0.1'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost.example.com', '127.0.0.1.example.com', 'mac'])(
  '%s is reached by others',
  (host) => {
    expect(isLoopback(host)).toBe(false);
    const listen = { kind: 'tcp', host, port: 1 } as const;
    for (const doors of [shut, { ...shut, tls: true }, { ...shut, token: true }, { ...shut, tls: true, open: true }]) {
      expect(() => refuseOpenDoors(listen, doors)).toThrow(/refused to listen on .* without .*other machines/);
    }
    expect(() => refuseOpenDoors(listen, { tls: true, token: true, open: false })).not.toThrow();
  },
);

test('this machine’s other users need a token too, unless somebody says otherwise', () => {
  const listen = parseListen('127.0.0.1:7443');
  expect(() => refuseOpenDoors(listen, shut)).toThrow(/without a token/);
  expect(() => refuseOpenDoors(listen, { ...shut, token: true })).not.toThrow();
  expect(() => refuseOpenDoors(listen, { ...shut, open: true })).not.toThrow();
  expect(() => refuseOpenDoors(parseListen('unix:/run/a.sock'), shut)).not.toThrow();
});
