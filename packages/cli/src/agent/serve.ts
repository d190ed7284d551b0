// The agent: its parts put together, and only here.
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Ask, Provider } from '@errand/contract';
import { systemPorts } from '@errand/core';
import type { Identity } from '@errand/core';
import { serveProvider, serverOptions } from '@errand/plugin';
import { authenticate } from './authenticate.ts';
import { watchCertificates } from './certificates.ts';
import { enforce } from './enforce.ts';
import { execOwner, isDeadExecOwner } from './exec-owner.ts';
import { expireForEver, removeAll } from './expire.ts';
import { keepJob } from './keep.ts';
import { listenText, refuseOpenDoors } from './listen.ts';
import type { Listen } from './listen.ts';
import { openOwners } from './owners.ts';
import type { Owners } from './owners.ts';
import { serveSandboxExec } from './sandbox-exec.ts';
import { createAgentSecrets } from './secrets.ts';
import type { AgentSettings } from './settings.ts';
import { createSlots } from './slots.ts';
import type { Slots } from './slots.ts';
import { watchTokens } from './tokens.ts';

export interface AgentOptions {
  /** All that Errand keeps on this machine. */
  readonly home: string;
  readonly version: string;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
}

export interface Agent extends AsyncDisposable {
  /** With the port that was given, where 0 was asked for. */
  readonly address: string;
}

const hour = 3_600_000;
const lookEvery = 5_000;
const sweepEvery = 15_000;
/** How long calls that are under way get to end. */
const patience = 1_000;

export async function startAgent(settings: AgentSettings, options: AgentOptions): Promise<Agent> {
  const { listen, machine, policy } = settings;
  const { say, warn } = options;
  refuseOpenDoors(listen, { tls: settings.tls !== undefined, token: settings.tokens !== undefined, open: settings.open });
  const tokens = settings.tokens === undefined ? undefined : watchTokens(settings.tokens, warn);
  const leaving = new AbortController();
  await using parts = new AsyncDisposableStack();
  parts.defer(() => leaving.abort());
  const tls = settings.tls && parts.use(watchCertificates(settings.tls, { every: lookEvery, warn }));

  const home = join(options.home, 'agent');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const owners = openOwners(home);
  const slots = createSlots(policy.concurrency);
  const secrets = createAgentSecrets(settings.secrets);
  const { name } = machine.definition;
  const opened = { home: join(home, name), dataDirectory: options.home, signal: leaving.signal };
  const provider = parts.use(await machine.definition.open(opened));
  const guarded = enforce(provider, { machine, policy, slots, owners, secrets, leaving: leaving.signal, say });
  const { identity } = systemPorts();
  const owner = execOwner(identity);
  await resume(provider, { identity, owners, slots, leaving: leaving.signal, say });

  const server = new Server({
    ...serverOptions,
    ...(tokens && { interceptors: [authenticate(tokens, warn)] }),
    'grpc.max_connection_idle_ms': hour,
  });
  serveProvider(server, guarded, { name, version: options.version });
  serveSandboxExec(server, guarded, { owner, secrets, lifetime: (policy.limits.timeout ?? 24 * hour) + hour });
  const address = await bind(server, listen, tls?.credentials ?? ServerCredentials.createInsecure());
  parts.defer(() => shutDown(server, listen));
  if (guarded.host) void expireForEver(guarded.host, owners, { every: sweepEvery, leaving: leaving.signal, say });
  const all = parts.move();
  return { address, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

interface Found {
  readonly identity: Identity;
  readonly owners: Owners;
  readonly slots: Slots;
  readonly leaving: AbortSignal;
  readonly say: (line: string) => void;
}

/** What an earlier agent left running counts and is kept; calls that died with it leave nothing behind. */
async function resume({ host, runner }: Provider, { identity, owners, slots, leaving, say }: Found): Promise<void> {
  for (const owner of owners.all().filter((one) => isDeadExecOwner(identity, one))) {
    if (!host || (await removeAll(host, owner, { leaving, say }, () => true))) owners.forget(owner);
  }
  const ask: Ask = { signal: leaving, log: () => undefined };
  for (const owner of runner ? owners.all() : []) {
    for await (const { key, handle, alive } of runner?.find(owner, ask) ?? []) {
      if (!alive || !runner) continue;
      slots.adopt(key);
      void keepJob(runner, { ref: { key, handle }, grace: 0, epoch: () => 0 }, leaving).then(() => slots.free(key));
    }
  }
}

async function bind(server: Server, listen: Listen, credentials: ServerCredentials): Promise<string> {
  const address = listenText(listen);
  if (listen.kind === 'unix') await makeWay(listen.path);
  const before = listen.kind === 'unix' ? process.umask(0o177) : undefined;
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    if (listen.kind === 'unix') chmodSync(listen.path, 0o600);
    return listenText(listen.kind === 'unix' ? listen : { ...listen, port });
  } catch (error) {
    throw new ErrandError('usage/invalid', `cannot listen on ${address}: ${(error as Error).message}`, {
      next: 'Choose another address, or end what listens there.',
      cause: error,
    });
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

/** A socket that nobody listens on was left by an agent that was killed. */
async function makeWay(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there?.isSocket()) return;
  const answered = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
  if (!answered) rmSync(path, { force: true });
}

async function shutDown(server: Server, listen: Listen): Promise<void> {
  const timer = setTimeout(() => server.forceShutdown(), patience);
  await new Promise<void>((resolve) => {
    server.tryShutdown(() => resolve());
  });
  clearTimeout(timer);
  if (listen.kind === 'unix') rmSync(listen.path, { force: true });
}
