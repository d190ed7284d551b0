// The `file` store. A secret is one regular file below the root that only its owner can read. Links may lead to another
// place below the root (mounted secrets do that) but never out of it.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ErrandError, type ErrorCode } from '@errand/contract';

const largest = 1024 * 1024;

/** `path` has been checked by `readSecretReference`. One newline at the end is not part of the value. */
export async function readSecretFile(directory: string, path: string): Promise<string> {
  const reference = `secret://file/${path}`;
  const file = join(directory, path);
  const fail = (code: ErrorCode, what: string, next: string, cause?: unknown) =>
    new ErrandError(code, `cannot read ${reference}: ${what}`, { next, cause });

  try {
    const root = await realpath(directory);
    const real = await realpath(file);
    if (!isInside(root, real)) {
      throw fail('secret/refused', `${file} leads out of the secret directory`, `Replace the link by the file itself.`);
    }
    // The resolved path has no links left; one that appears now is refused. A pipe must not keep us waiting.
    await using handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (!info.isFile()) throw fail('secret/refused', `${file} is not a regular file`, 'Name a file that holds one secret.');
    const user = process.getuid?.();
    if (user !== undefined && info.uid !== user) {
      throw fail('secret/refused', `${file} belongs to another user`, `Run: chown ${user} ${quote(file)}`);
    }
    if (user !== undefined && (info.mode & 0o077) !== 0) {
      const mode = (info.mode & 0o777).toString(8).padStart(4, '0');
      throw fail('secret/refused', `${file} is open to other users (mode ${mode})`, `Run: chmod 600 ${quote(file)}`);
    }
    if (info.size > largest) throw fail('secret/refused', `${file} is larger than 1 MiB`, 'Store the one value that is needed.');
    return checked(await handle.readFile(), file, fail);
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw fail(
        'secret/missing',
        `there is no file ${file}`,
        `Write the value into it, then run: chmod 600 ${quote(file)}`,
        error,
      );
    }
    throw fail(
      'secret/refused',
      `${file}: ${code}`,
      'Make the file readable for the user that runs errand, and only for it.',
      error,
    );
  }
}

type Fail = (code: ErrorCode, what: string, next: string) => ErrandError;

function checked(bytes: Uint8Array, file: string, fail: Fail): string {
  let value: string;
  try {
    value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw fail('secret/refused', `${file} is not UTF-8 text`, 'Store it encoded, for instance as base64.');
  }
  if (value.includes('\0'))
    throw fail('secret/refused', `${file} contains a zero byte`, 'Store it encoded, for instance as base64.');
  if (value === '') throw fail('secret/missing', `${file} is empty`, 'Write the value into it.');
  return value;
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

function quote(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}
