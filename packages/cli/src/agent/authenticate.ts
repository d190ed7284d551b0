import { ServerInterceptingCall, ServerListenerBuilder, status } from '@grpc/grpc-js';
import type { Metadata, ServerInterceptingCallInterface, ServerInterceptor } from '@grpc/grpc-js';
import type { Tokens } from './tokens.ts';

/** Stands before every service: a call without a valid token is answered before anything looks at it. */
export function authenticate(tokens: Tokens, warn: (line: string) => void): ServerInterceptor {
  let warned = 0;
  function refuse(call: ServerInterceptingCallInterface): void {
    call.sendStatus({ code: status.UNAUTHENTICATED, details: 'a valid bearer token is needed' });
    // Who tries a thousand tokens must not fill the disk.
    if (Date.now() - warned < 1_000) return;
    warned = Date.now();
    warn(`refused a caller from ${call.getPeer()}: no valid token`);
  }
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => {
        const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, pass) => {
          if (tokens.accepts(bearerIn(metadata))) pass(metadata);
          else refuse(call);
        });
        next(listener.build());
      },
    });
}

function bearerIn(metadata: Metadata): string {
  const [value] = metadata.get('authorization');
  return (typeof value === 'string' && /^bearer (\S+)$/i.exec(value)?.[1]) || '';
}
