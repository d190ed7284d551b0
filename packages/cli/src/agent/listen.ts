// Where the agent listens, and what it must have before it does.
import { isIPv6 } from 'node:net';
import { ErrandError } from '@errand/contract';

export type Listen =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export interface Doors {
  readonly tls: boolean;
  readonly token: boolean;
  /** Somebody said that every user of this machine may come in. */
  readonly open: boolean;
}

export function parseListen(text: string): Listen {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (path.startsWith('/')) return { kind: 'unix', path };
    throw unreadable(text);
  }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || !(port <= 65_535) || (match?.[1] !== undefined && !isIPv6(host))) throw unreadable(text);
  return { kind: 'tcp', host, port };
}

const unreadable = (text: string) =>
  new ErrandError('usage/invalid', `cannot listen on ${JSON.stringify(text)}: it is neither HOST:PORT nor unix:/PATH`, {
    next: 'Write for instance 127.0.0.1:7443, [::1]:7443 or unix:/run/errand/agent.sock.',
  });

/** As gRPC and people write it. */
export function listenText(listen: Listen): string {
  if (listen.kind === 'unix') return `unix:${listen.path}`;
  return isIPv6(listen.host) ? `[${listen.host}]:${listen.port}` : `${listen.host}:${listen.port}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(host);
}

/** Throws unless nobody can come in who was not meant to. A unix socket is closed to other users by its mode. */
export function refuseOpenDoors(listen: Listen, { tls, token, open }: Doors): void {
  if (listen.kind === 'unix') return;
  const address = listenText(listen);
  const refuse = (what: string, next: string) =>
    new ErrandError('usage/invalid', `refused to listen on ${address} ${what}`, { next });
  if (!isLoopback(listen.host)) {
    const missing = [!tls && 'TLS', !token && 'a token'].filter((part) => part !== false).join(' and without ');
    if (missing === '') return;
    throw refuse(
      `without ${missing}: other machines can reach it`,
      'Give --tls-cert, --tls-key and --token-file, or listen on 127.0.0.1.',
    );
  }
  if (token || open) return;
  throw refuse(
    'without a token: every user of this machine could run commands as you',
    'Give --token-file, listen on unix:/PATH, or say --no-token if that is what you want.',
  );
}
