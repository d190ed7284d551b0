// A private sshd on this machine: own port, own keys, own authorized_keys. For root and for a normal user.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const paths = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'];

/** Why there is none; undefined when there is. */
export function missingSshd(): string | undefined {
  return findSshd() === undefined ? 'no sshd is on this machine (Debian: openssh-server)' : undefined;
}

function findSshd(): string | undefined {
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export interface Sshd extends AsyncDisposable {
  readonly port: number;
  readonly directory: string;
  /** A directory on "the far side". */
  readonly root: string;
  /** `SHA256:…` of its host key. */
  readonly fingerprint: string;
  /** A line for known_hosts. */
  readonly knownLine: string;
  readonly identity: string;
  /** An environment's options that lead here. */
  readonly options: Readonly<Record<'host' | 'user' | 'identity' | 'host_key' | 'root', string>> & { readonly port: number };
  /** Ends the server and every connection; jobs go on. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** `settings` are lines of its configuration; `path` is where its sessions look for programs. */
export async function startSshd(settings: readonly string[] = [], path?: string): Promise<Sshd> {
  const program = findSshd();
  if (program === undefined) throw new Error(missingSshd());
  const directory = await mkdtemp(join(tmpdir(), 'errand-sshd-'));
  const at = (name: string) => join(directory, name);
  newKey(at('host'));
  newKey(at('id'));
  await writeFile(at('authorized'), await readFile(at('id.pub')), { mode: 0o600 });
  // Where Debian's sshd, run by root, wants to lock its children in.
  if (process.getuid?.() === 0 && !existsSync('/run/sshd')) mkdirSync('/run/sshd', { mode: 0o755 });
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    `PidFile ${at('pid')}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
    'UsePAM no',
    'StrictModes no',
    'MaxStartups 200',
    'LogLevel FATAL',
    // Not the user's own: what a login shell reads there is no part of the test.
    `SetEnv HOME=${directory}${path === undefined ? '' : ` PATH=${path}`}`,
    ...settings,
  ];
  await writeFile(at('config'), `${lines.join('\n')}\n`);
  const publicKey = (await readFile(at('host.pub'), 'utf8')).trim();
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    // In a group of its own, so that its connections can be ended with it.
    server = spawn(program ?? '', ['-D', '-e', '-f', at('config')], { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
    await answers(port);
  }
  async function stop(): Promise<void> {
    const one = server;
    server = undefined;
    if (!one?.pid || one.exitCode !== null) return;
    const ended = new Promise((resolve) => one.once('exit', resolve));
    for (const pid of childrenOf(one.pid)) kill(pid);
    kill(one.pid);
    await ended;
  }
  await start();
  const root = at('far');
  const fingerprint = execFileSync('ssh-keygen', ['-lf', at('host.pub')], { encoding: 'utf8' }).split(' ')[1] ?? '';
  const { username } = userInfo();
  return {
    port,
    directory,
    root,
    fingerprint,
    knownLine: `[127.0.0.1]:${port} ${publicKey.split(' ').slice(0, 2).join(' ')}`,
    identity: at('id'),
    options: { host: '127.0.0.1', port, user: username, identity: at('id'), host_key: fingerprint, root },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Connections of an sshd: its children and theirs that are sshd too. Jobs are not among them. */
function childrenOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const below = (parent: number): number[] =>
    rows
      .filter(([, ppid, name]) => Number(ppid) === parent && (name ?? '').startsWith('sshd'))
      .flatMap(([own]) => [Number(own), ...below(Number(own))]);
  return below(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

export function newKey(path: string, ...more: string[]): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'errand-test', '-f', path, ...more]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function answers(port: number): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(20)) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
    }).catch(() => false);
    if (open) return;
  }
  throw new Error(`sshd does not answer on port ${port}`);
}
