// gRPC's part of a connection: who we are, and whom we believe.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { credentials, Metadata } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { ProviderContext } from '@errand/contract';
import { parseAddress } from './address.ts';
import type { Connection, Tls } from './connection.ts';

export function credentialsFor({ address, tls }: Connection): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const file = (path: string | undefined) => (path === undefined ? null : read(path));
  try {
    return credentials.createSsl(file(tls.ca), file(tls.key), file(tls.cert), identityCheck(address, tls));
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    throw new ErrandError('config/invalid', `cannot use the TLS files for the agent: ${(error as Error).message}`, {
      next: 'Name PEM files, and a key that belongs to the certificate.',
      cause: error,
    });
  }
}

/** TLS has no room for the number of a machine where its name goes, so the certificate is held against it here. */
function identityCheck(address: string, { serverName }: Tls) {
  const host = hostOf(address);
  if (serverName !== undefined || host === undefined || isIP(host) === 0) return {};
  return { checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate) };
}

export function channelOptions({ address, tls }: Connection): ChannelOptions {
  if (!tls) return {};
  const { serverName } = tls;
  if (serverName !== undefined) return { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName };
  return isIP(hostOf(address) ?? '') === 0 ? {} : { 'grpc.ssl_target_name_override': 'errand-agent' };
}

function hostOf(address: string): string | undefined {
  const parsed = parseAddress(address);
  return parsed && 'host' in parsed ? parsed.host : undefined;
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
