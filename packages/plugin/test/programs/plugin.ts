// A well-behaved plugin for the launcher's tests: greets, serves a provider, a controller and its stdio; ends when asked.
// PLUGIN_TEST may be `stubborn`: it does not end when asked and ignores signals.
import { join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { serveProvider, serviceDefinition } from '@errand/plugin';
import { GRPCController } from '../../src/gen/plugin/grpc_controller_pb.js';
import { GRPCStdio } from '../../src/gen/plugin/grpc_stdio_pb.js';
import { stubProvider } from '../stub.ts';

const stubborn = process.env['PLUGIN_TEST'] === 'stubborn';
if (process.env['WORKFLOW_PLUGIN'] !== 'workflow-external-plugin-v1') throw new Error('this is a plugin; it wants a host');

const server = new Server();
const environment = Object.keys(process.env).toSorted().join(' ');
serveProvider(server, stubProvider(), { name: environment, version: '1.0.0' });
server.addService(serviceDefinition(GRPCController), {
  shutdown: (_call: unknown, reply: (error: null, message: object) => void) => {
    reply(null, {});
    if (!stubborn) setImmediate(() => process.exit(0));
  },
});
server.addService(serviceDefinition(GRPCStdio), {
  streamStdio: (call: ServerWritableStream<unknown, object>) => {
    process.stderr.write('stdio is drained\n');
    call.write({ channel: 1, data: Buffer.from('printed') });
  },
});
if (stubborn) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

const path = join(process.env['PLUGIN_UNIX_SOCKET_DIR'] ?? '', 'socket');
server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  process.stdout.write(`1|1|unix|${path}|grpc||true\nand more that nobody reads\n`);
});
