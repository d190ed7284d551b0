// The services under every plugin connection, as both ends need them for grpc-js: names and shapes of the public protocol.
import type { MethodDefinition } from '@grpc/grpc-js';
import { healthReply, healthRequest, opaque, stdioData } from './messages.ts';

interface Coder<T> {
  readonly write: (value: T) => Buffer;
  readonly read: (bytes: Buffer) => T;
}

function method<I, O>(
  path: string,
  request: Coder<I>,
  reply: Coder<O>,
  streams: 'none' | 'reply' | 'both',
): MethodDefinition<I, O> {
  return {
    path,
    requestStream: streams === 'both',
    responseStream: streams !== 'none',
    requestSerialize: request.write,
    requestDeserialize: request.read,
    responseSerialize: reply.write,
    responseDeserialize: reply.read,
  };
}

/** Ends the plugin. */
export const controller = { shutdown: method('/plugin.GRPCController/Shutdown', opaque, opaque, 'none') };

/** What the plugin writes to stdout and stderr after its handshake. */
export const stdio = { streamStdio: method('/plugin.GRPCStdio/StreamStdio', opaque, stdioData, 'reply') };

/** Further connections between the two ends. Nobody of ours asks for one; a Go host opens the stream and leaves it. */
export const broker = { startStream: method('/plugin.GRPCBroker/StartStream', opaque, opaque, 'both') };

export const health = {
  check: method('/grpc.health.v1.Health/Check', healthRequest, healthReply, 'none'),
  watch: method('/grpc.health.v1.Health/Watch', healthRequest, healthReply, 'reply'),
};

/** The one service that a Go host asks the health of. */
export const healthName = 'plugin';
