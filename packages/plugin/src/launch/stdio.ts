import type { Client } from '@grpc/grpc-js';
import { nothing } from '../transport/messages.ts';
import { stdio } from '../transport/services.ts';
import { createLines } from './lines.ts';

/**
 * A Go plugin sends its stdout and stderr over the connection and stands still when nobody reads, so this is the first
 * call on every connection. Ends with the connection; a plugin without the service is fine.
 */
export function drainStdio(client: Client, log: (line: string) => void): void {
  const { path, requestSerialize, responseDeserialize } = stdio.streamStdio;
  const lines = createLines(log);
  client
    .makeServerStreamRequest(path, requestSerialize, responseDeserialize, nothing)
    .on('data', ({ channel, data }) => {
      if (channel === 'stderr') lines.push(Buffer.from(data));
    })
    .on('error', () => undefined)
    .on('end', () => lines.end());
}
