import { ServerCredentials } from '@grpc/grpc-js';
import type { Server } from '@grpc/grpc-js';
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import { createCertificate } from '../certificate/self-signed.ts';
import { variables } from '../handshake/cookie.ts';
import type { Endpoint, Handshake } from '../handshake/line.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface Listening {
  readonly handshake: Handshake;
  /** Takes back what is not the server. */
  readonly clear: () => Promise<void>;
}

/** A longer path does not fit into the address of a unix socket everywhere. */
const longestSocket = 100;

/** Binds the server where the host wants it; with the host's certificate at hand, only for that host. */
export async function listen(server: Server, env: Env, network: Endpoint['network']): Promise<Listening> {
  const client = env[variables.clientCertificate] ?? '';
  const own = client === '' ? undefined : createCertificate();
  const credentials =
    own === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          Buffer.from(client),
          [{ private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.pem) }],
          true,
        );
  const { endpoint, clear } =
    network === 'unix' ? await onSocket(server, env, credentials) : await onPort(server, env, credentials);
  return { handshake: { endpoint, multiplexes: false, ...(own === undefined ? {} : { certificate: own.der }) }, clear };
}

async function onSocket(server: Server, env: Env, credentials: ServerCredentials) {
  const given = env[variables.socketDirectory] ?? '';
  const name = `plugin-${randomUUID().slice(0, 8)}.sock`;
  const fits = given !== '' && join(given, name).length <= longestSocket;
  const own = fits ? undefined : await mkdtemp(join(tmpdir(), 'errand-plugin-'));
  const path = join(own ?? given, name);
  const clear = () => (own === undefined ? rm(path, { force: true }) : rm(own, { recursive: true, force: true }));
  await bind(server, `unix:${path}`, credentials).catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  return { endpoint: { network: 'unix', path } as const, clear };
}

async function onPort(server: Server, env: Env, credentials: ServerCredentials) {
  const [min, max] = [portOf(env[variables.minPort], 10_000), portOf(env[variables.maxPort], 25_000)];
  const ports = Math.max(1, max - min + 1);
  const first = randomInt(ports);
  for (let tried = 0; tried < Math.min(ports, 200); tried++) {
    const port = min + ((first + tried) % ports);
    try {
      await bind(server, `127.0.0.1:${port}`, credentials);
      return { endpoint: { network: 'tcp', host: '127.0.0.1', port } as const, clear: async () => undefined };
    } catch {
      // Somebody else has it.
    }
  }
  throw new ErrandError('provider/failed', `looked for a free port from ${min} to ${max} on 127.0.0.1 and found none`);
}

function portOf(text: string | undefined, otherwise: number): number {
  const port = Number(text ?? '');
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : otherwise;
}

async function bind(server: Server, address: string, credentials: ServerCredentials): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, credentials, (error) => (error === null ? resolve() : reject(error)));
  });
}
