import { Metadata } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { GRPCStdio } from '../gen/plugin/grpc_stdio_pb.js';
import { methodDefinition } from '../wire/definition.ts';

/**
 * After its greeting a Go plugin sends what it prints through this stream and blocks when nobody reads. Nobody looks at
 * it; one that does not offer the stream is fine.
 */
export function drainStdio(client: Client): void {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(GRPCStdio.method.streamStdio);
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {}, new Metadata());
  stream.on('error', () => undefined);
  stream.resume();
}
