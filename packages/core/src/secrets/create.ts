import { createHmac } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import { didYouMean } from '../base/distance.ts';
import { readSecretReference, secretHint, type SecretReference } from '../base/secret-reference.ts';
import { readSecretFile } from './file.ts';
import type { Secrets } from './port.ts';

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Root of `secret://file/…`. Need not exist until a secret is asked for. */
  readonly directory: string;
  /** See `version-key.ts`. */
  readonly versionKey: () => Uint8Array;
}

export interface SecretRegistry extends Secrets {
  /** Every value that was handed out, so that texts can be masked. Grows with each `resolve`. */
  values(): Iterable<string>;
}

export function createSecrets(sources: SecretSources): SecretRegistry {
  const handedOut = new Set<string>();

  async function resolve(reference: string): Promise<string> {
    const { store, path } = parse(reference);
    const value = store === 'env' ? readVariable(sources.env, path) : await readSecretFile(sources.directory, path);
    handedOut.add(value);
    return value;
  }

  async function version(reference: string): Promise<string> {
    const value = await resolve(reference);
    return createHmac('sha256', sources.versionKey()).update(`${reference}\0${value}`).digest('hex');
  }

  return { parse, resolve, version, values: () => handedOut };
}

function parse(reference: string): SecretReference {
  const reading = readSecretReference(reference);
  if ('store' in reading) return reading;
  // The text itself is not shown: a value pasted in place of a reference must not end up in a log.
  throw new ErrandError('secret/invalid', `cannot use a secret reference: ${reading.problem}`, { next: secretHint });
}

/** An empty variable counts as missing: that is how CI systems pass on a secret that was never set. */
function readVariable(env: SecretSources['env'], name: string): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value) return value;
  const what = value === '' ? 'is empty' : 'is not set';
  const close = didYouMean(
    name,
    Object.keys(env).filter((other) => other !== name),
  );
  throw new ErrandError('secret/missing', `cannot read secret://env/${name}: the environment variable ${name} ${what}`, {
    next: `Set ${name} in the environment of errand and run it again${close ? `; ${close}` : '.'}`,
  });
}
