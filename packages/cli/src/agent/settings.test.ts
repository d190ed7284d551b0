import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAgentSettings } from './settings.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-settings-'));
afterAll(() => rmSync(directory, { recursive: true }));

const read = (text: string, flags: Parameters<typeof readAgentSettings>[0] = {}) => {
  writeFileSync(join(directory, 'agent.yaml'), text);
  return readAgentSettings({ config: 'agent.yaml', ...flags }, directory);
};

test('a file says everything; its paths are meant from where it lies', async () => {
  const settings = await read(`
listen: 0.0.0.0:7443
tokens: tokens
tls: { cert: server.pem, key: /etc/key.pem, client_ca: clients.pem }
provider: docker
secrets: { directory: secrets, allow: [db/*] }
policy:
  images: [alpine]
  profiles: [strict]
  concurrency: 3
  limits: { timeout: 1h, memory: 2Gi, cpu: 1.5 }
`);
  expect(settings).toMatchObject({
    listen: { kind: 'tcp', host: '0.0.0.0', port: 7443 },
    tokens: join(directory, 'tokens'),
    open: false,
    tls: { cert: join(directory, 'server.pem'), key: '/etc/key.pem', clientCa: join(directory, 'clients.pem') },
    secrets: { directory: join(directory, 'secrets'), allow: ['db/*'] },
    policy: {
      images: ['alpine'],
      profiles: ['strict'],
      concurrency: 3,
      limits: { timeout: 3_600_000, memory: 2 ** 31, cpu: 1.5 },
    },
  });
  expect(settings.machine.definition.name).toBe('docker');
});

test('the command line wins over the file', async () => {
  const flags = { listen: 'unix:/run/a.sock', tokenFile: 'other', use: 'local' };
  const settings = await read('listen: 127.0.0.1:1\ntokens: false\nprovider: docker\n', flags);
  expect(settings).toMatchObject({ listen: { kind: 'unix' }, tokens: join(directory, 'other'), open: false });
  expect(settings.machine.definition.name).toBe('local');
  expect(settings.policy.profiles).toEqual(['permissive', 'strict']);
});

test('every problem is told with its place', async () => {
  const text = 'listen: 127.0.0.1:1\npolicy:\n  concurency: 3\n  limits: { timeout: soon, memory: 0 }\n';
  const problems = await read(text).catch((error: { diagnostics: { line: number; column: number }[] }) => error.diagnostics);
  expect(problems).toMatchObject([
    { line: 3, column: 3, file: join(directory, 'agent.yaml') },
    { line: 4, column: 22 },
    { line: 4, column: 36 },
  ]);
});

test.each([
  ['{}', /where to listen/],
  ['{ listen: "127.0.0.1:1", tls: { cert: a } }', /one problem/],
  ['{ listen: "127.0.0.1:1", policy: { profiles: [standard] } }', /local has no profile "standard"/],
  ['{ listen: "127.0.0.1:1", policy: { limits: { cpu: 1 } } }', /local cannot limit CPU/],
  ['{ listen: "127.0.0.1:1", policy: { images: [a] } }', /neither images/],
  ['{ listen: "127.0.0.1:1", provider: ssh }', /one problem/],
])('%s is refused', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test('flags that contradict each other are refused', async () => {
  const listen = '127.0.0.1:1';
  await expect(readAgentSettings({ listen, noToken: true, tokenFile: 'x' }, directory)).rejects.toThrow(/contradict/);
  await expect(readAgentSettings({ listen, tlsCert: 'x' }, directory)).rejects.toThrow(/both a certificate and its key/);
  await expect(readAgentSettings({ listen, use: 'ssh' }, directory)).rejects.toThrow(/cannot stand on/);
});
