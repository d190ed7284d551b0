// Why an image cannot be had: three reasons, told apart by what a registry answers.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dockerProvider } from '@errand/provider-docker';
import { ask } from '../bed.ts';
import { bed, needEngine } from './bed.ts';

/** A registry that answers every question about an image with one status; `login`: every question at all. */
async function openRegistry(status: number, login = false) {
  const codes: Record<number, string> = { 401: 'UNAUTHORIZED', 404: 'MANIFEST_UNKNOWN', 429: 'TOOMANYREQUESTS' };
  const server = createServer((request, response) => {
    const answer = request.url === '/v2/' && !login ? 200 : status;
    const challenge = login ? { 'www-authenticate': 'Basic realm="test"' } : {};
    const version = { 'docker-distribution-api-version': 'registry/2.0' };
    response.writeHead(answer, { 'content-type': 'application/json', ...version, ...challenge });
    response.end(answer === 200 ? '{}' : JSON.stringify({ errors: [{ code: codes[status], message: `said ${status}` }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function pull(image: string): Promise<unknown> {
  const home = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  await using provider = await dockerProvider.open({ home, signal: ask.signal });
  const said: string[] = [];
  const call = { ...ask, log: (line: string) => void said.push(line), key: `image-${randomUUID()}`, epoch: 1 };
  const spec = { owner: 'o', expiresAt: Date.now() + 60_000, image, resources: {}, labels: {}, options: {} };
  const error = await provider.host?.acquire(spec, call).catch((problem: unknown) => problem);
  expect(said[0]).toContain('pulling');
  await rm(home, { recursive: true });
  return error;
}

const cases = [
  [404, 'provider/image'],
  [401, 'provider/auth'],
  [429, 'provider/throttled'],
] as const;

test.for(cases)('a registry that answers %s: %s', async ([status, code], { skip }) => {
  needEngine(skip);
  if (typeof bed !== 'string' && !bed.address.startsWith('unix:')) skip('the engine is on another machine');
  if (typeof bed !== 'string' && bed.podman) skip('Podman asks registries over TLS only, unless told otherwise');
  await using registry = await openRegistry(status);
  expect(await pull(`${registry.host}/some/image:1`)).toMatchObject({ code });
});

test('a registry that refuses our login', async ({ skip }) => {
  needEngine(skip);
  if (typeof bed !== 'string' && (bed.podman || !bed.address.startsWith('unix:')))
    skip('the engine asks no plain registry of this machine');
  await using registry = await openRegistry(401, true);
  const dir = await mkdtemp(join(tmpdir(), 'errand-docker-'));
  const auth = Buffer.from('me:wrong').toString('base64');
  await writeFile(join(dir, 'config.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
  const before = process.env['DOCKER_CONFIG'];
  process.env['DOCKER_CONFIG'] = dir;
  try {
    expect(await pull(`${registry.host}/some/image:1`)).toMatchObject({ code: 'provider/auth' });
  } finally {
    if (before === undefined) delete process.env['DOCKER_CONFIG'];
    else process.env['DOCKER_CONFIG'] = before;
    await rm(dir, { recursive: true });
  }
});

test('a registry that is not there may come back', async ({ skip }) => {
  needEngine(skip);
  expect(await pull('127.0.0.1:9/some/image:1')).toMatchObject({ code: 'provider/image', retry: 'later' });
});
