// The tokens that let a client in: one per line, as text or as `sha256:HEX`, so that a job that can read the file still
// does not learn a token. Several are valid at once, and the file is looked at again on every call: a new token is
// added, clients move over, the old one is removed, and nothing is restarted.
import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { ErrandError } from '@errand/contract';

export interface Tokens {
  /** Takes the same time whatever is wrong with the token. */
  accepts(token: string): boolean;
}

/** Guessing a shorter one is a matter of patience. */
const shortest = 16;
const digestOf = (token: string) => createHash('sha256').update(token).digest();

export function readTokens(file: string): readonly Buffer[] {
  const refuse = (what: string, next: string, cause?: unknown) =>
    new ErrandError('secret/refused', `cannot use the token file ${file}: ${what}`, { next, cause });
  let text: string;
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(handle);
    if (!info.isFile()) throw refuse('it is not a regular file', 'Name a file with one token per line.');
    const user = process.getuid?.();
    if (user !== undefined && info.uid !== user && info.uid !== 0) {
      throw refuse('it belongs to another user', `Run: chown ${user} ${file}`);
    }
    if (user !== undefined && (info.mode & 0o077) !== 0) throw refuse('other users can read it', `Run: chmod 600 ${file}`);
    text = readFileSync(handle, 'utf8');
  } catch (error) {
    if (error instanceof ErrandError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw refuse(code === 'ENOENT' ? 'it is not there' : code, 'Write one token per line into it and run: chmod 600.', error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
  const lines = text.split('\n').map((line) => line.trim());
  const digests = lines.flatMap((line, index) => {
    if (line === '' || line.startsWith('#')) return [];
    const hashed = /^sha256:([0-9a-fA-F]{64})$/.exec(line)?.[1];
    if (hashed !== undefined) return [Buffer.from(hashed, 'hex')];
    // The line itself is never shown.
    if (line.length >= shortest && !/\s/.test(line)) return [digestOf(line)];
    throw refuse(`line ${index + 1} is not a token of at least ${shortest} characters`, 'Make one with: openssl rand -hex 32');
  });
  if (digests.length === 0) throw refuse('it holds no token', 'Make one with: openssl rand -hex 32');
  return digests;
}

/** Throws when the file cannot be used now; when that happens later, nobody is let in until it can. */
export function watchTokens(file: string, warn: (line: string) => void): Tokens {
  let seen = versionOf(file);
  let digests = readTokens(file);
  return {
    accepts(token) {
      const now = versionOf(file);
      if (now !== seen) {
        seen = now;
        try {
          digests = readTokens(file);
        } catch (error) {
          digests = [];
          warn(`nobody is let in: ${(error as Error).message}`);
        }
      }
      const given = digestOf(token);
      let accepted = false;
      for (const digest of digests) accepted = timingSafeEqual(given, digest) || accepted;
      return accepted;
    },
  };
}

function versionOf(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false, bigint: true });
  return info ? `${info.ino} ${info.mtimeNs} ${info.ctimeNs} ${info.size} ${info.mode}` : 'gone';
}
