// A provider behind a real gRPC server in this process, and a connection to it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, credentials } from '@grpc/grpc-js';
import type { Provider } from '@errand/contract';
import { connectProvider, serveProvider, serverOptions } from '@errand/plugin';
import type { ConnectedProvider, ConnectOptions, ServeOptions } from '@errand/plugin';

export interface Listening extends AsyncDisposable {
  readonly address: string;
  readonly server: Server;
}

export type Transport = 'unix' | 'tcp';

/** Listens until disposed; calls under way are cut off then. */
export async function listen(transport: Transport, add: (server: Server) => void, at = '127.0.0.1:0'): Promise<Listening> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-wire-'));
  const server = new Server(serverOptions);
  add(server);
  const asked = transport === 'unix' ? `unix:${join(directory, 's')}` : at;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(asked, ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    address: transport === 'unix' ? asked : `127.0.0.1:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export interface ServedOptions {
  readonly transport?: Transport;
  readonly serve?: Partial<ServeOptions>;
  readonly connect?: Partial<ConnectOptions>;
}

/** Disposing it ends the connection, the server and the provider behind it. */
export async function throughWire(provider: Provider, options: ServedOptions = {}): Promise<ConnectedProvider> {
  const listening = await listen(options.transport ?? 'unix', (server) =>
    serveProvider(server, provider, { name: 'tested', version: '1.2.3', ...options.serve }),
  );
  const connected = await connectTo(listening.address, options.connect).catch(async (error: unknown) => {
    await listening[Symbol.asyncDispose]();
    throw error;
  });
  return {
    ...connected,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

export function connectTo(address: string, options: Partial<ConnectOptions> = {}): Promise<ConnectedProvider> {
  return connectProvider({ name: 'tested', address, credentials: credentials.createInsecure(), ...options });
}
