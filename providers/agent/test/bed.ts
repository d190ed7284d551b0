// A real agent: `errand agent` as a process of its own, with a CA made for it, a token, and a home that is removed with it.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ask, Json, Provider, SecretCall } from '@errand/contract';
import { agentProvider } from '@errand/provider-agent';
import { connectionOf } from '../src/connection.ts';
import { connectFar } from '../src/far.ts';

const program = join(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** What an agent keeps of its environment; more would make it begin anew. */
const plain = Object.fromEntries(['PATH', 'HOME', 'TMPDIR', 'DOCKER_HOST'].map((name) => [name, process.env[name]]));

export const signal = new AbortController().signal;
export const ask: Ask = { signal, log: () => undefined };
/** With what this agent can, not with what can be said of any: the suites ask for that. */
export async function withItsCapabilities(bed: Bed, options: Json, home: string, opened: Provider): Promise<Provider> {
  const connection = connectionOf(options);
  if (!connection) throw new Error('the options name no agent');
  await using far = await connectFar({ home, signal, secret: async () => bed.token }, connection);
  return { ...opened, capabilities: far.capabilities };
}

export const newKey = (what = 'job') => `${what}-${randomUUID()}`;
export const callFor = (key: string, change: Partial<SecretCall> = {}): SecretCall => ({
  ...ask,
  key,
  epoch: 1,
  secret: async () => '',
  ...change,
});

export interface Running extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
  /** What it has said on stderr so far. */
  said(): string;
  /** As a machine that loses power. */
  kill(): Promise<void>;
}

export interface Bed extends Disposable {
  readonly directory: string;
  readonly tokenFile: string;
  readonly token: string;
  /** Writes a file of the bed and gives its path. */
  write(name: string, text: string, mode?: number): string;
  path(name: string): string;
  /** Starts an agent; the same bed once more stands for a restart. */
  start(options?: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }): Promise<Running>;
  /** Options of an environment for an agent with TLS and the bed's token. */
  options(agent: { readonly address: string }, more?: Readonly<Record<string, Json>>): Json;
  /** What an Errand of its own would open. */
  open(home: string, secret?: () => string): Promise<Provider>;
}

export function makeBed(): Bed {
  const directory = mkdtempSync(join(tmpdir(), 'errand-agent-'));
  const path = (name: string) => join(directory, name);
  const write = (name: string, text: string, mode = 0o600) => {
    writeFileSync(path(name), text, { mode });
    return path(name);
  };
  const token = randomBytes(24).toString('hex');
  const tokenFile = write('tokens', `# one per line\n${token}\n`);
  makeCertificates(directory);
  return {
    directory,
    tokenFile,
    token,
    write,
    path,
    async start({ args, env } = {}) {
      const doors = ['--token-file', tokenFile, '--tls-cert', path('server.pem'), '--tls-key', path('server.key')];
      const listen = args?.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
      const all = [program, 'agent', '--json', '--home', path('home'), ...listen, ...(args?.includes('--bare') ? [] : doors)];
      const rest = (args ?? []).filter((one) => one !== '--bare');
      const child = spawn(process.execPath, [...all, ...rest], { cwd: directory, env: { ...plain, ...env } });
      return follow(child);
    },
    options: ({ address }, more = {}) => ({
      address,
      token: { secret: 'secret://test/token' },
      tls: { ca: path('ca.pem') },
      ...more,
    }),
    open: (home, secret = () => token) => agentProvider.open({ home, signal, secret: async () => secret() }),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

async function follow(child: ChildProcess): Promise<Running> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const gone = once(child, 'exit');
  while (!out.includes('\n') && child.exitCode === null && child.signalCode === null) {
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 10))]);
  }
  const { listening, error } = JSON.parse(out || `{"error":{"message":${JSON.stringify(err)}}}`) as Started;
  if (listening === undefined) throw Object.assign(new Error(error?.message), { code: error?.code });
  const end = async (how: NodeJS.Signals) => {
    child.kill(how);
    await gone;
  };
  return {
    address: listening,
    pid: child.pid ?? 0,
    said: () => err,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

interface Started {
  readonly listening?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A CA that signs a server for this machine, and a client. */
function makeCertificates(directory: string): void {
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=errand test CA');
  for (const name of ['server', 'client']) sign(directory, name);
}

/** Also to be called again, for a certificate that replaces the earlier one. */
export function sign(directory: string, name: string): void {
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
  openssl('req', ...key, '-keyout', `${name}.key.new`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  writeFileSync(join(directory, 'san'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'san'];
  openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem.new`);
  for (const kind of ['key', 'pem']) {
    writeFileSync(join(directory, `${name}.${kind}`), readFileSync(join(directory, `${name}.${kind}.new`)), { mode: 0o600 });
  }
}
