import { ServerInterceptingCall, ServerListenerBuilder, status } from '@grpc/grpc-js';
import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import type { Tokens } from './tokens.ts';

/** Stands before every service: a call without a valid token is answered before anything looks at it. */
export function authenticate(tokens: Tokens): ServerInterceptor {
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => {
        const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, pass) => {
          if (tokens.accepts(bearerIn(metadata))) pass(metadata);
          else call.sendStatus({ code: status.UNAUTHENTICATED, details: 'a valid bearer token is needed' });
        });
        next(listener.build());
      },
    });
}

function bearerIn(metadata: Metadata): string {
  const [value] = metadata.get('authorization');
  return (typeof value === 'string' && /^bearer (\S+)$/i.exec(value)?.[1]) || '';
}
