// A provider that does nothing, served over gRPC until the benchmark hangs up. argv: a socket's path, bytes of output.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Provider, Runner } from '@errand/contract';
import { serveProvider, serverOptions } from '@errand/plugin';

const [path = '', size = ''] = process.argv.slice(2);
const bytes = Buffer.alloc(64 * 1024, 'x');

const runner: Pick<Runner, 'stop' | 'logs'> = {
  stop: async () => undefined,
  async *logs() {
    for (let at = bytes.length; at <= Number(size); at += bytes.length) yield { stream: 'stdout', bytes, cursor: String(at) };
  },
};
const provider: Provider = {
  capabilities: {
    exactSignal: false,
    liveLogs: true,
    streamSplit: false,
    nativeTimeout: false,
    nativeExpiry: false,
    redactsLogs: false,
    resources: [],
    image: 'none',
    workspaceIn: false,
    workspaceOut: false,
  },
  runner: runner as Runner,
  [Symbol.asyncDispose]: async () => undefined,
};

const server = new Server(serverOptions);
serveProvider(server, provider, { name: 'bench', version: '1' });
await new Promise<void>((resolve, reject) => {
  server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
});
process.once('disconnect', () => server.forceShutdown());
process.send?.('ready');
