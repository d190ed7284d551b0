import { Client, status } from '@grpc/grpc-js';
import { isErrandError } from '@errand/contract';
import type { Provider, ProviderContext } from '@errand/contract';
import { connectProvider } from '@errand/plugin';
import type { Connection } from './connection.ts';
import { execProvider } from './exec/provider.ts';
import { bearer, channelOptions, credentialsFor } from './sdk.ts';

const execDefaults = {
  // The line may stay silent for as long as the command does.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.enable_retries': 0,
  // Some agents send all the output in one message, at the end.
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
};

/** The far side as a provider of its own, and which of the two kinds it is. */
export interface Far extends Provider {
  readonly protocol: 'errand' | 'sandbox';
}

/** An Errand agent, or one that knows only SandboxExecService. */
export async function connectFar(context: ProviderContext, connection: Connection): Promise<Far> {
  const metadata = bearer(context, connection);
  if (connection.protocol !== 'sandbox') {
    try {
      const far = await connectProvider({
        address: connection.address,
        credentials: credentialsFor(connection),
        metadata,
        name: `the agent at ${connection.address}`,
        channel: channelOptions(connection),
      });
      return { ...far, protocol: 'errand' };
    } catch (error) {
      if (connection.protocol === 'errand' || !isUnknownService(error)) throw error;
    }
  }
  const client = new Client(connection.address, credentialsFor(connection), { ...execDefaults, ...channelOptions(connection) });
  return { ...execProvider(context.home, { address: connection.address, client, metadata }), protocol: 'sandbox' };
}

/** It answered, and has no such service. */
function isUnknownService(error: unknown): boolean {
  const cause = isErrandError(error) ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === status.UNIMPLEMENTED;
}
