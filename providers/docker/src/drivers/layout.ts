// What resources are called on an engine, and what their labels say.
//
//   network   <prefix>-<name>          infra.vpc
//   volume    <prefix>-<name>.claim    somebody is making that network (see network.ts)
//             <prefix>-<name>          infra.volume, infra.storage
//             <prefix>-<name>.data     what a database or registry keeps; made first and removed last, so that it tells
//                                      whether the resource is there
//   container <prefix>-<name>-<n>      one of its instances
//             <prefix>-<name>-<n>.next the one that is about to take its place
//
// The id of a resource is <prefix>-<name>, so a fresh process finds it by its name. Labels are written once, when a thing
// is made; a container that takes another one's place keeps its key.
import { createHash } from 'node:crypto';
import type { Attributes } from '@errand/contract';
import type { Labels } from '../client.ts';

export const resourceLabel = {
  id: 'errand.resource',
  type: 'errand.resource.type',
  name: 'errand.resource.name',
  key: 'errand.resource.key',
  /** The config as it came, references to secrets as references. */
  config: 'errand.resource.config',
  /** Digest of all that a container is made of. */
  spec: 'errand.resource.spec',
  password: 'errand.resource.password',
} as const;

export interface Scope {
  readonly prefix: string;
  /** The address on the engine's machine where ports are published. */
  readonly publishOn: string;
}

/** Readable where the engine allows it; a name that had to be changed gets a digest, so that no two become one. */
export function idOf({ prefix }: Pick<Scope, 'prefix'>, name: string): string {
  const plain = `${prefix}-${name}`;
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{1,90}$/.test(plain)) return plain;
  return `${plain.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)}-${digest(plain).slice(0, 12)}`;
}

export interface Identity {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly key: string;
}

export function labelsFor({ id, type, name, key }: Identity, config: Attributes, more: Labels = {}): Labels {
  return {
    [resourceLabel.id]: id,
    [resourceLabel.type]: type,
    [resourceLabel.name]: name,
    [resourceLabel.key]: key,
    [resourceLabel.config]: JSON.stringify(config),
    ...more,
  };
}

export const markOf = (type: string, id: string): Labels => ({ [resourceLabel.id]: id, [resourceLabel.type]: type });

export function configIn(labels: Labels): Attributes {
  try {
    return JSON.parse(labels[resourceLabel.config] ?? '{}') as Attributes;
  } catch {
    return {};
  }
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex');
