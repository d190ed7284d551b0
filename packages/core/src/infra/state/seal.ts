// Values that must not rest in clear: AES-256-GCM under a key that lies in the file secret store, never in the data
// directory. `$sealed` is `1:<name of the key>:<iv, tag and text in base64url>`; `$fingerprint` is an HMAC under the same
// key, so that equal values can be told without opening them and a guess cannot be checked without the key.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import { isSealed } from '../references/sealed.ts';
import type { Vault } from '../references/sealed.ts';
import { mapLeaves } from '../references/walk.ts';

const ivSize = 12;
const tagSize = 16;

/**
 * `key` is asked for once, when the first value is sealed or opened. Opening throws `secret/missing` when another key
 * sealed it, `state/corrupt` when it was tampered with.
 */
export function createVault(key: () => Uint8Array): Vault {
  let known: { readonly bytes: Uint8Array; readonly name: string } | undefined;
  const get = () => {
    if (!known) {
      const bytes = key();
      known = { bytes, name: createHash('sha256').update(bytes).digest('hex').slice(0, 12) };
    }
    return known;
  };
  return {
    seal(value) {
      const { bytes, name } = get();
      const text = JSON.stringify(value);
      const iv = randomBytes(ivSize);
      const cipher = createCipheriv('aes-256-gcm', bytes, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const whole = Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
      const fingerprint = createHmac('sha256', bytes).update(text).digest('hex').slice(0, 32);
      return { $sealed: `1:${name}:${whole}`, $fingerprint: fingerprint };
    },
    open(sealed) {
      const { bytes, name } = get();
      const [version, by, body = ''] = sealed.$sealed.split(':');
      if (version !== '1') throw damaged();
      if (by !== name) throw otherKey(String(by), name);
      const whole = Buffer.from(body, 'base64url');
      try {
        const cipher = createDecipheriv('aes-256-gcm', bytes, whole.subarray(0, ivSize));
        cipher.setAuthTag(whole.subarray(ivSize, ivSize + tagSize));
        const text = Buffer.concat([cipher.update(whole.subarray(ivSize + tagSize)), cipher.final()]).toString('utf8');
        return JSON.parse(text) as Json;
      } catch (error) {
        throw damaged(error);
      }
    },
  };
}

/** The value with everything sealed in it opened. Gives the same object when there was nothing. */
export function openAll<T extends Json>(vault: Pick<Vault, 'open'>, value: T): T {
  return mapLeaves(value, '', (leaf) => (isSealed(leaf) ? vault.open(leaf) : leaf)) as T;
}

function otherKey(wanted: string, present: string): ErrandError {
  return new ErrandError(
    'secret/missing',
    `opened a sealed value of the state: it was sealed with key ${wanted}, and the one here is ${present}`,
    { next: 'Put the key file of the machine that wrote the state into the secret directory, as `infra-state.key`.' },
  );
}

function damaged(cause?: unknown): ErrandError {
  return new ErrandError('state/corrupt', 'opened a sealed value of the state: it is damaged; nothing was changed', {
    next: 'Go back to a version before the damage with `errand infra state history` and `errand infra state restore`.',
    cause,
  });
}
