// The public SandboxExecService on top of a provider: each call is a place and a job of its own, and both are gone when the
// call is over. A client of this kind has no other way to end its command than to cancel the call.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Server } from '@grpc/grpc-js';
import { createRedactor, ErrandError } from '@errand/contract';
import type { Ask, Handle, JobExit, Json, Provider, SecretCall, Stream } from '@errand/contract';
import { answerStream, SandboxExecService, serviceDefinition } from '@errand/plugin';
import type { SandboxExecRequest } from '@errand/plugin';
import type { AgentSecrets } from './secrets.ts';

/** In one message; existing clients take at most 4 MiB. */
const most = 256 * 1024;
const epoch = 1;
const grace = 5_000;

export interface ExecOptions {
  /** Whose places these are; see `exec-owner.ts`. */
  readonly owner: string;
  readonly secrets: AgentSecrets;
  /** How long a place may stand that an agent which died has left. */
  readonly lifetime: number;
}

type Reply = { readonly chunk: { case: Stream; value: Uint8Array } | { case: 'exitCode'; value: number } };
type Send = (reply: Reply) => Promise<void>;

export function serveSandboxExec(server: Server, provider: Provider, options: ExecOptions): void {
  server.addService(serviceDefinition(SandboxExecService), {
    exec: answerStream({}, SandboxExecService.method.exec, (request, { signal }, send) =>
      exec(provider, options, request, { signal, log: () => undefined }, send),
    ),
  });
}

async function exec(provider: Provider, options: ExecOptions, request: SandboxExecRequest, ask: Ask, send: Send): Promise<void> {
  const { host, runner } = provider;
  if (!host || !runner) throw new ErrandError('environment/unsupported', 'this agent has no places to run commands in');
  const { command: argv, image, profile, workdir } = request;
  if (argv.length === 0) throw new ErrandError('usage/invalid', 'there is no command', { next: 'Send at least one word.' });
  const key = `exec-${randomUUID()}`;
  const values = new Set<string>();
  const secret = async (reference: string) => {
    const value = await options.secrets.resolve(reference);
    values.add(value);
    return value;
  };
  const call: SecretCall = { ...ask, key, epoch, secret };
  const keys: Json = { ...(profile !== '' && { profile }), ...(workdir !== '' && { workdir }) };
  const shared = { owner: options.owner, resources: {}, labels: {}, options: keys, ...(image !== '' && { image }) };
  let exit: JobExit;
  let place: Handle<'place'> | undefined;
  try {
    place = await host.acquire({ ...shared, expiresAt: Date.now() + options.lifetime }, call);
    const handle = await runner.start({ ...shared, place, command: { argv }, ...variables(request.env), grace }, call);
    await forward(runner.logs({ key, handle }, undefined, ask), values, send);
    exit = await runner.wait({ key, handle }, ask);
  } finally {
    const { signal } = new AbortController();
    // What cannot be given back now is given up when it expires; the client's answer does not depend on it.
    await host.release({ key, ...(place && { handle: place }) }, { ...call, signal }).catch(() => undefined);
  }
  await send({ chunk: { case: 'exitCode', value: codeOf(exit) } });
}

/** In this protocol every reference is meant for the agent: a client that resolves sends the value. */
function variables(given: Readonly<Record<string, string>>) {
  const isReference = (value: string) => value.startsWith('secret://');
  const env = Object.entries(given).filter(([, value]) => !isReference(value));
  const secretEnv = Object.entries(given).filter(([, value]) => isReference(value));
  const named = secretEnv.map(([name, value]) => [name, value.replace(/^secret:\/\/(?:agent\/)?/, 'secret://agent/')]);
  return { env: Object.fromEntries(env), secretEnv: Object.fromEntries(named) as Record<string, string> };
}

async function forward(
  chunks: ReturnType<NonNullable<Provider['runner']>['logs']>,
  secrets: Iterable<string>,
  send: Send,
): Promise<void> {
  const redactors = { stdout: createRedactor(secrets), stderr: createRedactor(secrets) };
  const pass = async (stream: Stream, bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += most) {
      await send({ chunk: { case: stream, value: bytes.subarray(at, at + most) } });
    }
  };
  for await (const { stream, bytes } of chunks) await pass(stream, redactors[stream].push(bytes).bytes);
  for (const stream of ['stdout', 'stderr'] as const) await pass(stream, redactors[stream].flush().bytes);
}

function codeOf(exit: JobExit): number {
  if (exit.kind === 'exited') return exit.code;
  if (exit.kind === 'signalled') return 128 + (constants.signals[exit.signal as NodeJS.Signals] ?? 0);
  if (exit.kind === 'timed-out') throw new ErrandError('provider/timeout', 'the command was ended at its time limit');
  if (exit.kind === 'lost') throw new ErrandError('provider/failed', `how the command ended is not known: ${exit.evidence}`);
  throw new ErrandError('provider/failed', `the command could not be run: ${exit.message}`);
}
