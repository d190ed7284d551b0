// A plugin of ours that serves every service of the public contract, each method answering with a filled message.
import { status } from '@grpc/grpc-js';
import type { ServerUnaryCall, ServerWritableStream, UntypedServiceImplementation, sendUnaryData } from '@grpc/grpc-js';
import type { DescService, Message } from '@bufbuild/protobuf';
import { servePlugin } from '../../src/serve/serve-plugin.ts';
import { serviceDefinition } from '../../src/wire/definition.ts';
import { differenceOf, filled, services } from './mirror-fill.ts';

function answers(service: DescService): UntypedServiceImplementation {
  const methods = service.methods.map(({ localName, input, output, methodKind }) => {
    const refusal = (request: Message) => {
      const details = differenceOf(input, request);
      return details === undefined ? undefined : { code: status.INVALID_ARGUMENT, details };
    };
    const unary = (call: ServerUnaryCall<Message, Message>, reply: sendUnaryData<Message>) => {
      const error = refusal(call.request);
      if (error === undefined) reply(null, filled(output));
      else reply(error);
    };
    const stream = (call: ServerWritableStream<Message, Message>) => {
      const error = refusal(call.request);
      if (error !== undefined) return void call.emit('error', error);
      call.write(filled(output));
      call.write(filled(output));
      call.end();
    };
    return [localName, methodKind === 'server_streaming' ? stream : unary] as const;
  });
  return Object.fromEntries(methods);
}

await servePlugin({
  name: 'mirror',
  open: async (server) => {
    for (const service of services) server.addService(serviceDefinition(service), answers(service));
    return { [Symbol.asyncDispose]: async () => undefined };
  },
});
