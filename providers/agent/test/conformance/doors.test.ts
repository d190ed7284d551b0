// Who comes in.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { isErrandError } from '@errand/contract';
import type { Json, Provider } from '@errand/contract';
import { ask, makeBed, sign } from '../bed.ts';
import { run, until } from '../jobs.ts';

const bed = makeBed();
const home = mkdtempSync(join(tmpdir(), 'errand-doors-'));
afterAll(() => {
  bed[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

async function refusedFor(options: Json, secret?: () => string): Promise<string> {
  await using provider = await bed.open(home, secret);
  return await knock(provider, options);
}

async function knock(provider: Provider, options: Json): Promise<string> {
  try {
    await provider.check?.({ resources: {}, options }, ask);
    return 'let in';
  } catch (error) {
    return isErrandError(error) ? error.code : String(error);
  }
}

test('only a valid token lets a client in, and no answer shows one', async () => {
  await using agent = await bed.start();
  const options = bed.options(agent);
  expect(await refusedFor(options)).toBe('let in');
  expect(await refusedFor(options, () => 'wrong-token-0123456789')).toBe('provider/auth');
  expect(await refusedFor({ address: agent.address, tls: { ca: bed.path('ca.pem') } })).toBe('provider/auth');
  expect(agent.said()).not.toContain(bed.token);
});

test('tokens are rotated without a restart, of the agent or of the client', async () => {
  await using agent = await bed.start();
  const options = bed.options(agent);
  let mine = bed.token;
  await using provider = await bed.open(home, () => mine);
  const next = 'the-next-token-0123456789';
  expect(await knock(provider, options)).toBe('let in');
  bed.write('tokens', `${bed.token}\n${next}\n`);
  expect(await knock(provider, options)).toBe('let in');
  bed.write('tokens', `${next}\n`);
  expect(await knock(provider, options)).toBe('provider/auth');
  mine = next;
  expect(await knock(provider, options)).toBe('let in');
  bed.write('tokens', `${bed.token}\n`);
});

test('a client that does not know the agent’s CA says nothing to it', async () => {
  await using agent = await bed.start();
  expect(await refusedFor({ ...(bed.options(agent) as object), tls: {} })).toBe('provider/unreachable');
  expect(await refusedFor({ ...(bed.options(agent) as object), tls: false })).toBe('provider/unreachable');
  expect(await refusedFor(bed.options(agent, { tls: { ca: bed.path('ca.pem'), server_name: 'elsewhere' } }))).toBe(
    'provider/unreachable',
  );
  expect(await refusedFor(bed.options(agent, { tls: { ca: bed.path('ca.pem'), server_name: 'localhost' } }))).toBe('let in');
});

test('with a client CA a client must show a certificate, and needs a token all the same', async () => {
  await using agent = await bed.start({ args: ['--client-ca', bed.path('ca.pem')] });
  const tls = { ca: bed.path('ca.pem'), cert: bed.path('client.pem'), key: bed.path('client.key') };
  expect(await refusedFor(bed.options(agent))).toBe('provider/unreachable');
  expect(await refusedFor(bed.options(agent, { tls }))).toBe('let in');
  expect(await refusedFor(bed.options(agent, { tls }), () => 'wrong-token-0123456789')).toBe('provider/auth');
});

test('a new certificate is shown without a restart', async () => {
  await using agent = await bed.start();
  expect(await refusedFor(bed.options(agent))).toBe('let in');
  sign(bed.directory, 'server');
  await until('the new certificate is in use', async () => (await fingerprint(agent.address)) === newFingerprint(), 15_000);
  expect(await refusedFor(bed.options(agent))).toBe('let in');
}, 30_000);

test('it refuses to listen where others could come in', async () => {
  const tls = ['--tls-cert', bed.path('server.pem'), '--tls-key', bed.path('server.key')];
  const tokens = ['--token-file', bed.tokenFile];
  for (const doors of [[], tls, tokens, ['--no-token'], [...tls, '--no-token']]) {
    const started = bed.start({ args: ['--bare', '--listen', '0.0.0.0:0', ...doors] });
    await expect(started).rejects.toMatchObject({ code: 'usage/invalid', message: expect.stringMatching(/refused to listen/) });
  }
  await expect(bed.start({ args: ['--bare', '--listen', '127.0.0.1:0'] })).rejects.toThrow(/refused to listen/);
});

test('a unix socket needs no token, and is nobody else’s', async () => {
  const path = bed.path('agent.sock');
  const args = ['--bare', '--listen', `unix:${path}`];
  const options = { address: `unix:${path}` };
  {
    await using agent = await bed.start({ args });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await using provider = await bed.open(home);
    expect((await run(provider, options, 'echo hello')).out).toBe('hello\n');
    await expect(bed.start({ args })).rejects.toThrow(/cannot listen on/);
    await agent.kill();
  }
  // A socket that a killed agent left is no obstacle.
  await using again = await bed.start({ args });
  expect(await refusedFor(options)).toBe('let in');
  expect(again.said()).not.toContain('cannot');
});

function fingerprint(address: string): Promise<string> {
  const port = Number(address.split(':').at(-1));
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca: readFileSync(bed.path('ca.pem')), ALPNProtocols: ['h2'] }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const newFingerprint = () => new X509Certificate(readFileSync(bed.path('server.pem'))).fingerprint256;
