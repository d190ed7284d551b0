import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isErrandError, type ErrandError } from '@errand/contract';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecrets } from './create.ts';
import { checkSecretDirectory } from './directory.ts';
import { readVersionKey } from './version-key.ts';

let base: string;
let root: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'errand-secrets-'));
  root = join(base, 'secrets');
  await mkdir(join(root, 'deep'), { recursive: true });
  await put('token', 'hunter2\n');
  await put('deep/two-lines', 'a\nb\n\n');
  await writeFile(join(base, 'outside'), 'stolen', { mode: 0o600 });
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function put(path: string, value: string | Uint8Array, mode = 0o600): Promise<void> {
  await writeFile(join(root, path), value);
  await chmod(join(root, path), mode);
}

const secrets = (env: Record<string, string> = {}) =>
  createSecrets({ env, directory: root, versionKey: () => Buffer.from('a key') });

async function refusal(reference: string, env: Record<string, string> = {}): Promise<ErrandError> {
  const error: unknown = await secrets(env)
    .resolve(reference)
    .catch((caught: unknown) => caught);
  if (!isErrandError(error)) throw new Error(`expected an ErrandError, got ${String(error)}`);
  return error;
}

describe('values', () => {
  test('come from both stores and are remembered for masking', async () => {
    const both = secrets({ TOKEN: 'from-env' });
    expect(await both.resolve('secret://env/TOKEN')).toBe('from-env');
    expect(await both.resolve('secret://file/token')).toBe('hunter2');
    expect(await both.resolve('secret://file/deep/two-lines')).toBe('a\nb\n');
    expect([...both.values()]).toEqual(['from-env', 'hunter2', 'a\nb\n']);
  });

  test('parse reads no value', () => {
    expect(secrets().parse('secret://file/not/there')).toEqual({ store: 'file', path: 'not/there' });
  });

  test('a link inside the root is fine, as mounted secrets have them', async () => {
    await symlink('deep', join(root, 'linked'));
    expect(await secrets().resolve('secret://file/linked/two-lines')).toBe('a\nb\n');
  });

  test('read-only for the owner is fine', async () => {
    await put('strict', 'x', 0o400);
    expect(await secrets().resolve('secret://file/strict')).toBe('x');
  });
});

describe('refusals', () => {
  test.each([
    ['hunter2', 'secret/invalid'],
    ['secret://', 'secret/invalid'],
    ['secret://env/', 'secret/invalid'],
    ['secret://env/A-B', 'secret/invalid'],
    ['secret://vault/x', 'secret/invalid'],
    ['secret://file/', 'secret/invalid'],
    ['secret://file//etc/passwd', 'secret/invalid'],
    ['secret://file/../outside', 'secret/invalid'],
    ['secret://file/deep/../../outside', 'secret/invalid'],
    ['secret://file/./token', 'secret/invalid'],
    ['secret://file/%2e%2e/outside', 'secret/invalid'],
    ['secret://file/..%2foutside', 'secret/invalid'],
    [String.raw`secret://file/..\outside`, 'secret/invalid'],
    ['secret://file/token\0', 'secret/invalid'],
    ['secret://file/token/', 'secret/invalid'],
    ['secret://env/NOT_THERE', 'secret/missing'],
    ['secret://env/constructor', 'secret/missing'],
    ['secret://env/EMPTY', 'secret/missing'],
    ['secret://file/not-there', 'secret/missing'],
    ['secret://file/token/below', 'secret/missing'],
    ['secret://file/deep', 'secret/refused'],
  ])('%j is %s', async (reference, code) => {
    const error = await refusal(reference, { EMPTY: '' });
    expect(error.code).toBe(code);
    expect(error.next).toBeTruthy();
    expect(`${error.message}${error.next}`).not.toContain('hunter2');
  });

  test('an open mode, with the command that closes it', async () => {
    await put('open', 'hunter2', 0o640);
    const error = await refusal('secret://file/open');
    expect(error.code).toBe('secret/refused');
    expect(error.message).toContain('0640');
    expect(error.next).toBe(`Run: chmod 600 ${join(root, 'open')}`);
  });

  test('links out of the root, also by way of a directory', async () => {
    await symlink(join(base, 'outside'), join(root, 'out'));
    await symlink('..', join(root, 'up'));
    await symlink('nowhere', join(root, 'dangling'));
    expect((await refusal('secret://file/out')).code).toBe('secret/refused');
    expect((await refusal('secret://file/up/outside')).code).toBe('secret/refused');
    expect((await refusal('secret://file/dangling')).code).toBe('secret/missing');
  });

  test('what is no text, empty, too large, or a pipe', async () => {
    await put('bytes', Buffer.from([0xff, 0xfe]));
    await put('zero', 'a\0b');
    await put('empty', '\n');
    await put('large', 'x'.repeat(1024 * 1024 + 1));
    execFileSync('mkfifo', ['-m', '600', join(root, 'pipe')]);
    expect((await refusal('secret://file/bytes')).code).toBe('secret/refused');
    expect((await refusal('secret://file/zero')).code).toBe('secret/refused');
    expect((await refusal('secret://file/empty')).code).toBe('secret/missing');
    expect((await refusal('secret://file/large')).code).toBe('secret/refused');
    expect((await refusal('secret://file/pipe')).code).toBe('secret/refused');
  });

  test('a file of somebody else', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can give a file away');
    await put('theirs', 'x');
    await chown(join(root, 'theirs'), 12_345, 12_345);
    expect((await refusal('secret://file/theirs')).message).toContain('another user');
  });

  test('no reference of any shape reads the file outside', async () => {
    const part = fc.constantFrom('..', '.', '', 'deep', 'outside', '%2e%2e', 'token', '...', '~', '\\', ' ');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        const value = await secrets()
          .resolve(`secret://file/${parts.join('/')}`)
          .catch(() => undefined);
        expect(value).not.toBe('stolen');
      }),
    );
  });
});

test('the secret directory must lie outside the data directory', async () => {
  checkSecretDirectory(root, join(base, '.errand'));
  checkSecretDirectory(root, join(base, 'secrets-of-errand'));
  await expect(async () => checkSecretDirectory(join(base, '.errand', 'x', 'y'), join(base, '.errand'))).rejects.toMatchObject({
    code: 'secret/refused',
  });
  await symlink(base, join(base, 'alias'));
  await expect(async () => checkSecretDirectory(root, join(base, 'alias'))).rejects.toMatchObject({ code: 'secret/refused' });
});

describe('versions', () => {
  const keyed = (key: string, env: Record<string, string>) =>
    createSecrets({ env, directory: root, versionKey: () => Buffer.from(key) }).version('secret://env/TOKEN');

  test('are the same for the same value and others for another, another reference or another installation', async () => {
    const one = await keyed('k', { TOKEN: 'one' });
    expect(await keyed('k', { TOKEN: 'one' })).toBe(one);
    expect(await keyed('k', { TOKEN: 'two' })).not.toBe(one);
    expect(await keyed('other', { TOKEN: 'one' })).not.toBe(one);
    const two = createSecrets({ env: { A: 'v', B: 'v' }, directory: root, versionKey: () => Buffer.from('k') });
    expect(await two.version('secret://env/A')).not.toBe(await two.version('secret://env/B'));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
  });

  test('a file with another content has another version', async () => {
    await put('rotating', 'old');
    const before = await secrets().version('secret://file/rotating');
    await put('rotating', 'new');
    expect(await secrets().version('secret://file/rotating')).not.toBe(before);
  });

  test('a secret that is not there has none', async () => {
    await expect(secrets().version('secret://env/NOT_THERE')).rejects.toMatchObject({ code: 'secret/missing' });
  });
});

test('the key of an installation is made once, by whoever comes first, and is nobody else’s to read', async () => {
  const home = join(base, 'home');
  const key = Buffer.from(readVersionKey(home));
  expect(key.length).toBe(32);
  expect(Buffer.from(readVersionKey(home)).equals(key)).toBe(true);
  expect((await stat(join(home, 'secret-versions.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(home)).toEqual(['secret-versions.key']);
  expect(Buffer.from(readVersionKey(join(base, 'elsewhere'))).equals(key)).toBe(false);
});
