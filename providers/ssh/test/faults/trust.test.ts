// Who may be talked to, and as whom: each refusal is of its own kind, says what was seen and what to write.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrandError } from '@errand/contract';
import type { ErrandError, Json } from '@errand/contract';
import { sshProvider } from '@errand/provider-ssh';
import { expect, test } from 'vitest';
import { ask, needSshd } from './bed.ts';
import { newKey, startSshd } from '../sshd.ts';
import type { Sshd } from '../sshd.ts';

/** The error of a first contact; undefined when it was fine. */
async function contact(
  sshd: Sshd,
  options: Json,
  secret?: (reference: string) => Promise<string>,
): Promise<ErrandError | undefined> {
  await using provider = await sshProvider.open({
    home: join(sshd.directory, 'home'),
    signal: ask.signal,
    ...(secret ? { secret } : {}),
  });
  try {
    expect(await provider.check?.({ resources: {}, options }, ask)).toEqual([]);
    return undefined;
  } catch (error) {
    if (!isErrandError(error)) throw error;
    return error;
  }
}

/** Options that rely on a file of known hosts with this text. */
async function knowing(sshd: Sshd, text: string): Promise<Json> {
  const file = join(sshd.directory, 'known');
  await writeFile(file, text);
  const { host, port, user, identity, root } = sshd.options;
  return { host, port, user, identity, root, known_hosts: file };
}

test('a host that is known, by name or by its hash', async ({ skip }) => {
  needSshd(skip);
  await using sshd = await startSshd();
  expect(await contact(sshd, await knowing(sshd, `${sshd.knownLine}\n`))).toBeUndefined();
  await knowing(sshd, `# hashed below\n${sshd.knownLine}\n`);
  execFileSync('ssh-keygen', ['-H', '-f', join(sshd.directory, 'known')], { stdio: 'ignore' });
  await rm(join(sshd.directory, 'known.old'), { force: true });
  const { host_key: _, ...rest } = sshd.options;
  expect(await contact(sshd, { ...rest, known_hosts: join(sshd.directory, 'known') })).toBeUndefined();
});

test('a host that is not known is refused with its fingerprint and the line to write', async ({ skip }) => {
  needSshd(skip);
  await using sshd = await startSshd();
  const error = await contact(sshd, await knowing(sshd, ''));
  expect(error).toMatchObject({ code: 'provider/auth' });
  expect(error?.message).toContain(sshd.fingerprint);
  expect(error?.message).toContain('not known');
  expect(error?.next).toContain(sshd.knownLine);
});

test('a host key that changed is its own message, by file and by pin', async ({ skip }) => {
  needSshd(skip);
  await using sshd = await startSshd();
  newKey(join(sshd.directory, 'other'));
  const other = execFileSync('cat', [join(sshd.directory, 'other.pub')], { encoding: 'utf8' }).split(' ');
  const line = `[127.0.0.1]:${sshd.port} ${other[0]} ${other[1]}`;
  const changed = await contact(sshd, await knowing(sshd, `${line}\n`));
  expect(changed).toMatchObject({ code: 'provider/auth' });
  expect(changed?.message).toContain('has changed');
  const pin = `SHA256:${createHash('sha256').update('somebody else').digest('base64').slice(0, 43)}`;
  const pinned = await contact(sshd, { ...sshd.options, host_key: pin });
  expect(pinned).toMatchObject({ code: 'provider/auth' });
  expect(pinned?.message).toContain('not the pinned one');
  expect(pinned?.message).toContain(sshd.fingerprint);
  expect(await contact(sshd, { ...sshd.options, host_key: [pin, sshd.fingerprint] })).toBeUndefined();
});

test('a revoked key is refused even when it is pinned; a certificate authority is not understood and said so', async ({
  skip,
}) => {
  needSshd(skip);
  await using sshd = await startSshd();
  const options = await knowing(sshd, `${sshd.knownLine}\n@revoked ${sshd.knownLine}\n`);
  expect((await contact(sshd, options))?.message).toContain('revoked');
  const pinned = { ...(options as Record<string, Json>), host_key: sshd.fingerprint };
  expect((await contact(sshd, pinned))?.message).toContain('revoked');
  const certified = await contact(sshd, await knowing(sshd, `@cert-authority ${sshd.knownLine}\n`));
  expect(certified?.message).toContain('certificates are not supported');
});

test('a refused key, an unreadable one and a dead server are three different things', async ({ skip }) => {
  needSshd(skip);
  await using sshd = await startSshd();
  newKey(join(sshd.directory, 'stranger'));
  const refused = await contact(sshd, { ...sshd.options, identity: join(sshd.directory, 'stranger') });
  expect(refused).toMatchObject({ code: 'provider/auth', reason: 'auth', retry: 'never' });
  const absent = await contact(sshd, { ...sshd.options, identity: join(sshd.directory, 'no-such-key') });
  expect(absent?.message).toContain('cannot be read');
  await sshd.stop();
  const dead = await contact(sshd, sshd.options);
  expect(dead).toMatchObject({ code: 'provider/unreachable', reason: 'network', retry: 'later' });
});

test('a key with a passphrase opens with its secret, and says what is missing without', async ({ skip }) => {
  needSshd(skip);
  await using sshd = await startSshd();
  execFileSync('ssh-keygen', ['-q', '-p', '-N', 'hush-hush', '-P', '', '-f', sshd.identity]);
  const locked = { ...sshd.options, passphrase: { secret: 'secret://env/PASS' } };
  const asked: string[] = [];
  const tell = (answer: string) => async (reference: string) => {
    asked.push(reference);
    return answer;
  };
  expect(await contact(sshd, locked, tell('hush-hush'))).toBeUndefined();
  expect(asked).toContain('secret://env/PASS');
  expect(await contact(sshd, locked, tell('wrong'))).toMatchObject({ code: 'provider/auth' });
  const before = process.env['SSH_AUTH_SOCK'];
  delete process.env['SSH_AUTH_SOCK'];
  try {
    expect((await contact(sshd, sshd.options))?.next).toContain('passphrase');
  } finally {
    if (before !== undefined) process.env['SSH_AUTH_SOCK'] = before;
  }
});

test('through a jump host, with its own key checked', async ({ skip }) => {
  needSshd(skip);
  await using inner = await startSshd();
  await using outer = await startSshd();
  const { root: _, ...jump } = outer.options;
  expect(await contact(inner, { ...inner.options, jump })).toBeUndefined();
  const wrong = await contact(inner, { ...inner.options, jump: [{ ...jump, host_key: inner.fingerprint }] });
  expect(wrong?.message).toContain(`:${outer.port}`);
  expect(wrong?.message).toContain('not the pinned one');
  await inner.stop();
  expect(await contact(inner, { ...inner.options, jump })).toMatchObject({ code: 'provider/unreachable' });
});

test('an agent’s key', async ({ skip }) => {
  needSshd(skip);
  await using sshd = await startSshd();
  const socket = join(sshd.directory, 'agent');
  const said = execFileSync('ssh-agent', ['-s', '-a', socket], { encoding: 'utf8' });
  const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(said)?.[1]);
  try {
    execFileSync('ssh-add', [sshd.identity], { env: { ...process.env, SSH_AUTH_SOCK: socket }, stdio: 'ignore' });
    const { identity: _, ...rest } = sshd.options;
    expect(await contact(sshd, { ...rest, agent: socket })).toBeUndefined();
  } finally {
    process.kill(pid);
  }
});
