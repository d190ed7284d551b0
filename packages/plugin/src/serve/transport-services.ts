import { status } from '@grpc/grpc-js';
import type { Server, ServerDuplexStream, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { nothing } from '../transport/messages.ts';
import type { HealthReply, HealthRequest, StdioData } from '../transport/messages.ts';
import { broker, controller, health, healthName, stdio } from '../transport/services.ts';

/** What every host expects under the provider's own services. `shutdown` is called when the host asks us to end. */
export function addTransportServices(server: Server, shutdown: () => void): { readonly endStreams: () => void } {
  const open = new Set<ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>>();
  const hold = (call: ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>) => {
    open.add(call);
    call.once('cancelled', () => open.delete(call));
    call.once('close', () => open.delete(call));
  };

  server.addService(controller, {
    shutdown: (_: ServerUnaryCall<Uint8Array, Uint8Array>, reply: sendUnaryData<Uint8Array>) => {
      reply(null, nothing);
      shutdown();
    },
  });
  // Our stdout and stderr stay where they are, on the pipes that the host reads anyway; the stream only has to be there.
  server.addService(stdio, { streamStdio: (call: ServerWritableStream<Uint8Array, StdioData>) => hold(call) });
  server.addService(broker, {
    startStream: (call: ServerDuplexStream<Uint8Array, Uint8Array>) => {
      hold(call);
      call.on('data', () => undefined).on('end', () => call.end());
      call.on('error', () => undefined);
    },
  });
  server.addService(health, {
    check: (call: ServerUnaryCall<HealthRequest, HealthReply>, reply: sendUnaryData<HealthReply>) => {
      if (isKnown(call.request.service)) reply(null, { serving: true });
      else reply({ code: status.NOT_FOUND, details: `there is no service ${JSON.stringify(call.request.service)}` });
    },
    watch: (call: ServerWritableStream<HealthRequest, HealthReply>) => {
      hold(call);
      call.write({ serving: isKnown(call.request.service) });
    },
  });
  return {
    endStreams: () => {
      for (const call of open) call.end();
    },
  };
}

const isKnown = (service: string) => service === '' || service === healthName;
