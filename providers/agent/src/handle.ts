import { ErrandError } from '@errand/contract';
import type { Handle, Json } from '@errand/contract';
import { connectionData, field, readConnection, text } from './connection.ts';
import type { Connection } from './connection.ts';

const providerName = 'agent';
const handleVersion = 1;

/** The far side's handle, and how to get there again. */
export function wrap<K extends 'place' | 'job'>(connection: Connection, inner: Handle<K>): Handle<K> {
  const state = { agent: connectionData(connection), inner: { ...inner } };
  return { kind: inner.kind, provider: providerName, version: handleVersion, state };
}

export interface Unwrapped<K extends 'place' | 'job'> {
  readonly connection: Connection;
  readonly inner: Handle<K>;
}

export function unwrap<K extends 'place' | 'job'>(handle: Handle<K>): Unwrapped<K> {
  const connection = readConnection(field(handle.state, 'agent'));
  const inner = field(handle.state, 'inner');
  const provider = text(field(inner, 'provider'));
  const version = field(inner, 'version');
  const state = field(inner, 'state');
  if (connection && field(inner, 'kind') === handle.kind && provider !== undefined && typeof version === 'number') {
    return { connection, inner: { kind: handle.kind, provider, version, state: state ?? (null as Json) } };
  }
  throw new ErrandError('provider/not-found', `tried to use a ${handle.kind} of an agent: its handle cannot be read`, {
    next: 'Acquire a new place.',
  });
}
