// OpenSSH's file of known hosts: `[@marker] names type key [comment]`, names in the clear (with * ? !) or hashed.
import { createHmac } from 'node:crypto';
import type { Hop } from './client.ts';

export interface KnownKey {
  readonly type: string;
  readonly key: Buffer;
  readonly line: number;
}

export interface KnownHost {
  readonly keys: readonly KnownKey[];
  readonly revoked: readonly KnownKey[];
  /** The host is known by a certificate authority. */
  readonly certified: boolean;
}

export function readKnownHosts(text: string, hop: Pick<Hop, 'host' | 'port'>): KnownHost {
  const keys: KnownKey[] = [];
  const revoked: KnownKey[] = [];
  let certified = false;
  for (const [index, raw] of text.split('\n').entries()) {
    const words = raw.trim().split(/\s+/);
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [names = '', type = '', key = ''] = words;
    if (names === '' || names.startsWith('#') || key === '' || !isFor(names, hop)) continue;
    const known = { type, key: Buffer.from(key, 'base64'), line: index + 1 };
    if (marker === undefined) keys.push(known);
    else if (marker === '@revoked') revoked.push(known);
    else if (marker === '@cert-authority') certified = true;
  }
  return { keys, revoked, certified };
}

function isFor(names: string, { host, port }: Pick<Hop, 'host' | 'port'>): boolean {
  const name = port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
  let found = false;
  for (const one of names.split(',')) {
    if (one.startsWith('|1|')) found ||= isHashOf(one, name);
    else if (one.startsWith('!')) {
      // An exclusion wins over everything else in the line.
      if (isMatch(one.slice(1), name)) return false;
    } else found ||= isMatch(one, name);
  }
  return found;
}

/** `|1|salt|hmac-sha1(salt, name)`, both in base64. */
function isHashOf(hashed: string, name: string): boolean {
  const [, , salt = '', sum = ''] = hashed.split('|');
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === sum;
}

function isMatch(pattern: string, name: string): boolean {
  const source = pattern
    .toLowerCase()
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(name);
}

/** The file's line for a key that was seen, for a person to add. */
export function lineFor({ host, port }: Pick<Hop, 'host' | 'port'>, key: Buffer): string {
  const name = port === 22 ? host : `[${host}]:${port}`;
  return `${name} ${typeOf(key)} ${key.toString('base64')}`;
}

/** A public key begins with the length of its type's name and the name. */
export function typeOf(key: Buffer): string {
  return key.length < 4 ? '' : key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
}
