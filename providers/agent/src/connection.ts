// What it takes to reach an agent again: data that rests in handles, so a token is only named here, never held.
import type { Json } from '@errand/contract';
import { isNear, parseAddress } from './address.ts';

export interface Connection {
  readonly address: string;
  /** A `secret://` reference. */
  readonly token?: string;
  readonly tls: false | Tls;
  readonly protocol?: 'errand' | 'sandbox';
}

export interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverName?: string;
}

/** The environment's own keys, already validated by `config.ts`. */
export function connectionOf(options: Json): Connection | undefined {
  const address = text(field(options, 'address'));
  const token = text(field(field(options, 'token'), 'secret'));
  const protocol = text(field(options, 'protocol'));
  return connection(address, token, field(options, 'tls'), protocol);
}

/** As it lies in a handle or in a file of ours. */
export function readConnection(data: Json | undefined): Connection | undefined {
  const address = text(field(data, 'address'));
  return connection(address, text(field(data, 'token')), field(data, 'tls'), text(field(data, 'protocol')));
}

export function connectionData({ address, token, tls, protocol }: Connection): Json {
  const { ca, cert, key, serverName } = tls || {};
  const files = { ...opt('ca', ca), ...opt('cert', cert), ...opt('key', key), ...opt('server_name', serverName) };
  return { address, tls: tls ? files : false, ...opt('token', token), ...opt('protocol', protocol) };
}

/** What the far side's provider is to see of the options. */
export function farOptions(options: Json): Json {
  const own = field(options, 'options');
  const profile = field(options, 'profile');
  const keys = typeof own === 'object' && own !== null && !Array.isArray(own) ? own : {};
  return { ...(keys as Readonly<Record<string, Json>>), ...(profile === undefined ? {} : { profile }) };
}

function connection(
  address: string | undefined,
  token: string | undefined,
  tls: Json | undefined,
  protocol: string | undefined,
): Connection | undefined {
  if (address === undefined || parseAddress(address) === undefined) return undefined;
  return {
    address,
    ...opt('token', token),
    // A socket file needs none; anything else without TLS was asked for in so many words, and is near.
    tls: (tls === false && isNear(address)) || (tls === undefined && address.startsWith('unix:')) ? false : tlsOf(tls),
    ...(protocol === 'errand' || protocol === 'sandbox' ? { protocol } : {}),
  };
}

function tlsOf(data: Json | undefined): Tls {
  const [ca, cert, key, serverName] = ['ca', 'cert', 'key', 'server_name'].map((name) => text(field(data, name)));
  return { ...opt('ca', ca), ...opt('cert', cert), ...opt('key', key), ...opt('serverName', serverName) };
}

function opt<K extends string, V>(name: K, value: V | undefined): { readonly [key in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in K]?: V };
}

export function field(data: Json | undefined, name: string): Json | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const fields = data as Readonly<Record<string, Json>>;
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
