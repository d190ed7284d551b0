// gRPC's part of a connection: who we are, and whom we believe.
import { readFileSync } from 'node:fs';
import { credentials, Metadata } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { ProviderContext } from '@errand/contract';
import type { Connection } from './connection.ts';

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

export function channelOptions({ tls }: Connection): ChannelOptions {
  const name = tls ? tls.serverName : undefined;
  return name === undefined ? {} : { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name };
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
    throw new ErrandError(
      'config/unreadable',
      `tried to read ${path} for the connection to an agent: ${(error as Error).message}`,
      {
        next: 'Correct the path under tls: in the environment.',
        cause: error,
      },
    );
  }
}
