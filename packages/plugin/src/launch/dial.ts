import { credentials } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { certificateName, toPem } from '../certificate/self-signed.ts';
import type { Certificate } from '../certificate/self-signed.ts';
import { joinHost } from '../handshake/line.ts';
import type { Handshake } from '../handshake/line.ts';
import { messageLimits } from '../transport/limits.ts';

/** All that it takes to speak to a running plugin. Clients that are made alike share one connection. */
export interface Connection {
  readonly address: string;
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
  readonly secure: boolean;
}

const options: ChannelOptions = {
  ...messageLimits,
  'grpc.default_authority': certificateName,
  'grpc.ssl_target_name_override': certificateName,
  // No proxy stands between us and a socket of this machine.
  'grpc.enable_http_proxy': 0,
  // A plugin that is gone stays gone at this address, so there is nothing to wait for.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
};

/** With a certificate in the handshake, that one and no other is taken, and ours is shown. */
export function connectionTo(handshake: Handshake, ours: Certificate | undefined): Connection {
  const { endpoint, certificate } = handshake;
  const address = endpoint.network === 'unix' ? `unix:${endpoint.path}` : joinHost(endpoint);
  if (certificate === undefined || ours === undefined)
    return { address, credentials: credentials.createInsecure(), options, secure: false };
  const secure = credentials.createSsl(Buffer.from(toPem(certificate)), Buffer.from(ours.key), Buffer.from(ours.pem), {
    checkServerIdentity: (_, shown) =>
      shown.raw.equals(certificate) ? undefined : new Error('it is not the certificate of the handshake'),
  });
  return { address, credentials: secure, options, secure: true };
}
