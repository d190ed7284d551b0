// A plugin of ours with a service for the tests: it says back, makes big replies, hangs and dies on demand.
import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { servePlugin } from '../../src/serve/serve-plugin.ts';
import { echo } from './echo-service.ts';

type Call = ServerUnaryCall<Buffer, Buffer>;
type Reply = sendUnaryData<Buffer>;

function addEcho(server: Server): void {
  server.addService(echo, {
    say: (call: Call, reply: Reply) => reply(null, call.request),
    big: (call: Call, reply: Reply) => reply(null, Buffer.alloc(Number(call.request.toString()))),
    environment: (_: Call, reply: Reply) => reply(null, Buffer.from(JSON.stringify(process.env))),
    talk: (call: Call, reply: Reply) => process.stderr.write(call.request, () => reply(null, Buffer.alloc(0))),
    hang: () => undefined,
    die: () => process.exit(3),
  });
}

await servePlugin({
  name: 'echo',
  open: async (server) => {
    addEcho(server);
    return { [Symbol.asyncDispose]: async () => void process.stderr.write('closed\n') };
  },
  ...(process.env['ECHO_NETWORK'] === 'tcp' ? { network: 'tcp' } : {}),
});
