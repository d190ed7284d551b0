// The grammar of `secret://<store>/<path>`. Reading a reference never touches a value.
import type { Reading } from './quantity.ts';
import { didYouMean } from './distance.ts';

export interface SecretReference {
  readonly store: 'env' | 'file';
  readonly path: string;
}

const stores = ['env', 'file'] as const;

export const secretHint = 'Write secret://env/NAME or secret://file/path.';

/** Either the reference or what is wrong with it, without repeating it: people paste values into the wrong place. */
export function readSecretReference(text: string): SecretReference | Extract<Reading, { problem: string }> {
  const match = /^secret:\/\/([^/]*)\/(.*)$/s.exec(text);
  if (!match) return { problem: 'it does not have the form secret://store/path' };
  const [, name = '', path = ''] = match;
  const store = stores.find((known) => known === name);
  if (!store) {
    const close = didYouMean(name, stores);
    return { problem: `there is no such secret store; known are ${stores.join(' and ')}${close ? ` (${close})` : ''}` };
  }
  const problem = store === 'env' ? envProblem(path) : fileProblem(path);
  return problem === undefined ? { store, path } : { problem };
}

function envProblem(path: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(path) ? undefined : 'its path is not the name of an environment variable';
}

/** Nothing is ever decoded, so `%2e` could not climb; it is refused all the same because only an attack writes it. */
function fileProblem(path: string): string | undefined {
  if (path === '') return 'it names no file';
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\\?#\u0000-\u001f\u007f]|%[0-9a-fA-F]{2}/.test(path)) return 'its path has characters that a secret file cannot have';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'its path is not a plain path inside the store';
  return undefined;
}
