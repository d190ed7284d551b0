// gRPC's part of a connection: who we are, and whom we believe.
import { readFileSync } from 'node:fs';
import { credentials, Metadata } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { ProviderContext } from '@errand/contract';
import type { Connection, Tls } from './connection.ts';

export function credentialsFor({ tls }: Connection): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const file = (path: string | undefined) => (path === undefined ? null : read(path));
  try {
    return credentials.createSsl(file(tls.ca), file(tls.key), file(tls.cert));
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    throw new ErrandError('config/invalid', `cannot use the TLS files for the agent: ${(error as Error).message}`, {
      next: 'Name PEM files, and a key that belongs to the certificate.',
      cause: error,
    });
  }
}

/** A connection can die without a word; then only asking now and then tells. */
const keepAlive = { 'grpc.keepalive_time_ms': 20_000, 'grpc.keepalive_timeout_ms': 10_000 };

export function channelOptions({ tls }: Connection): ChannelOptions {
  const name = (tls || ({} satisfies Tls as Tls)).serverName;
  // Come back soon after the agent does.
  const back = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2_000 };
  return { ...keepAlive, ...back, ...(name !== undefined && { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name }) };
}

/** The token is asked for before every call and kept nowhere, so a new one is used as soon as it is there. */
export function bearer(context: Pick<ProviderContext, 'secret'>, { token }: Connection): () => Promise<Metadata> {
  return async () => {
    const metadata = new Metadata();
    if (token === undefined) return metadata;
    if (!context.secret) throw new ErrandError('secret/missing', 'the agent’s token cannot be resolved here');
    metadata.set('authorization', `Bearer ${await context.secret(token)}`);
    return metadata;
  };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ErrandError('config/unreadable', `tried to read ${path} for the connection to an agent: ${(error as Error).message}`, {
      next: 'Correct the path under tls: in the environment.',
      cause: error,
    });
  }
}
