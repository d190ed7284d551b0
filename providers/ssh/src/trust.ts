// Whether a server is the one that was meant. There is no way around it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ErrandError } from '@errand/contract';
import { accountOf } from './options.ts';
import type { HopOptions } from './options.ts';
import { lineFor, readKnownHosts, typeOf } from './known-hosts.ts';
import type { KnownHost } from './known-hosts.ts';

export interface Trust {
  /** Kinds of keys to ask for, in attempts: a server shows one kind at a time. */
  readonly attempts: readonly (readonly string[] | undefined)[];
  accepts(key: Buffer): boolean;
  /** Why the key that was shown last is not accepted. */
  refusal(): ErrandError | undefined;
}

/** What a kind of key is called when signatures are agreed on. */
const families: readonly (readonly string[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
];
const signaturesOf = (type: string) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]);

export const fingerprintOf = (key: Buffer) => `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

export function createTrust(hop: HopOptions): Trust {
  const known = readKnownHosts(readFile(hop.knownHosts), hop);
  let shown: Buffer | undefined;
  const isRevoked = (key: Buffer) => known.revoked.some((one) => one.key.equals(key));
  const accepts = (key: Buffer) => {
    shown = key;
    if (isRevoked(key)) return false;
    if (hop.pins.length > 0) return hop.pins.includes(fingerprintOf(key));
    return known.keys.some((one) => one.key.equals(key));
  };
  const types = [...new Set(known.keys.flatMap(({ type }) => signaturesOf(type)))];
  return {
    // A pin does not say of which kind its key is, so every kind gets a chance.
    attempts: hop.pins.length > 0 ? families : [types.length === 0 ? undefined : types],
    accepts,
    refusal: () => (shown === undefined || accepts(shown) ? undefined : refusalOf(hop, known, shown, isRevoked(shown))),
  };
}

function refusalOf(hop: HopOptions, known: KnownHost, key: Buffer, revoked: boolean): ErrandError {
  const seen = `${typeOf(key)} ${fingerprintOf(key)}`;
  const tried = `tried to reach ${accountOf(hop)}`;
  const own = `host_key: "${fingerprintOf(key)}"`;
  if (revoked) {
    return new ErrandError('provider/auth', `${tried}: its host key (${seen}) is marked as revoked in ${hop.knownHosts}`, {
      next: 'Do not connect; ask whoever runs the machine for its new key.',
    });
  }
  if (hop.pins.length > 0) {
    return new ErrandError('provider/auth', `${tried}: its host key (${seen}) is not the pinned one (${hop.pins.join(', ')})`, {
      next: `Somebody may be in between, or the machine was set up anew. If you know that its key changed, write ${own}.`,
    });
  }
  const [first] = known.keys;
  if (first) {
    return new ErrandError(
      'provider/auth',
      `${tried}: its host key has changed: it shows ${seen}, and ${hop.knownHosts} line ${first.line} has ${first.type} ${fingerprintOf(first.key)}`,
      {
        next: `Somebody may be in between, or the machine was set up anew. If you know that its key changed, replace that line.`,
      },
    );
  }
  if (known.certified) {
    return new ErrandError(
      'provider/auth',
      `${tried}: ${hop.knownHosts} knows it by a certificate authority only, and host certificates are not supported`,
      { next: `It shows ${seen}. If that is its key, write ${own} into the environment.` },
    );
  }
  return new ErrandError('provider/auth', `${tried}: its host key is not known; it shows ${seen}`, {
    next: `Compare it with what the machine’s owner says; if it is right, write ${own} into the environment, or add this line to ${hop.knownHosts}: ${lineFor(hop, key)}`,
  });
}

/** Nobody is known where there is no file. */
function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new ErrandError('config/unreadable', `tried to read ${path}: ${(error as Error).message}`, { cause: error });
  }
}
