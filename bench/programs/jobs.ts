// The local provider's jobs on the public contract, until the benchmark hangs up. argv: a socket's path, a home.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { serveJobRunner, serverOptions } from '@errand/plugin';
import { localProvider } from '@errand/provider-local';

const [path = '', home = ''] = process.argv.slice(2);
const provider = await localProvider.open({ home, signal: new AbortController().signal });
const { runner } = provider;
if (!runner) throw new Error('the runner is missing');
const server = new Server(serverOptions);
serveJobRunner(server, { ...provider, runner }, { name: 'local' });
await new Promise<void>((resolve, reject) => {
  server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
});
process.once('disconnect', () => {
  server.forceShutdown();
  void provider[Symbol.asyncDispose]();
});
process.send?.('ready');
