// A plugin's life: executed, greeted, drained, and ended by asking, forcing or giving up. One process per launch.
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { Client, credentials } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import { sharedOptions } from '../wire/limits.ts';
import { pluginEnvironment } from './environment.ts';
import { firstLine } from './first-line.ts';
import { channelAddress, parseHandshake } from './handshake.ts';
import { readManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { drainStdio } from './stdio.ts';
import { killGroup, stopProgram } from './stop.ts';
import type { Ended } from './stop.ts';
import { keepTail } from './tail.ts';

export interface LaunchOptions {
  /** Holds `plugin.json` and an executable of the directory's own name. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the plugin may see beside the usual ones. */
  readonly pass?: readonly string[];
  /** Milliseconds until the plugin must have said where it listens. */
  readonly startTimeout?: number;
  readonly signal?: AbortSignal;
}

export interface LaunchedPlugin extends AsyncDisposable {
  readonly manifest: Manifest;
  readonly address: string;
  readonly client: Client;
  /** The last lines that it wrote to stderr. */
  stderr(): string;
  /** Resolves with a description of its end, whoever caused it. */
  readonly ended: Promise<string>;
  /** Idempotent. */
  stop(): Promise<Ended>;
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

export async function launchPlugin(options: LaunchOptions): Promise<LaunchedPlugin> {
  options.signal?.throwIfAborted();
  const directory = resolve(options.directory);
  const manifest = await readManifest(directory);
  // 0700 by its nature: nobody else gets at the socket.
  const sockets = await mkdtemp(join(tmpdir(), 'errand-plugin-'));
  const env = pluginEnvironment({ from: options.environment, also: options.pass ?? [], sockets });
  const child: Program = spawn(join(directory, basename(directory)), [], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group: what it starts ends with it, and Ctrl-C at a terminal reaches us first.
    detached: true,
  });
  const stderr = keepTail(child.stderr);
  const ended = endOf(child);
  const removeSockets = () => rm(sockets, { recursive: true, force: true });
  try {
    const line = await greeting({ child, ended, name: manifest.name, stderr: () => stderr.text() }, options);
    const handshake = parseHandshake(line);
    if (handshake.certificate !== undefined) {
      throw new ErrandError('provider/failed', `launched ${manifest.name}; it wants TLS, which was not offered`);
    }
    const address = channelAddress(handshake);
    const client = new Client(address, credentials.createInsecure(), { ...sharedOptions, 'grpc.enable_http_proxy': 0 });
    drainStdio(client);
    let stopping: Promise<Ended> | undefined;
    const stopOnce = async () => {
      const how = await stopProgram(child, ended, client);
      client.close();
      await removeSockets();
      return how;
    };
    const stop = () => (stopping ??= stopOnce());
    return {
      manifest,
      address,
      client,
      stderr: () => stderr.text(),
      ended,
      stop,
      [Symbol.asyncDispose]: async () => void (await stop()),
    };
  } catch (error) {
    await stopProgram(child, ended, undefined);
    await removeSockets();
    throw error;
  }
}

/** What the program started is in its group and has no reason to stay; later its number may belong to somebody else. */
function endOf(child: Program): Promise<string> {
  return new Promise((settle) => {
    child.once('error', (error) => settle(`it could not be executed: ${error.message}`));
    child.once('exit', (code, signal) => {
      killGroup(child);
      settle(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
    });
  });
}

interface Greeting {
  readonly child: Program;
  readonly ended: Promise<string>;
  readonly name: string;
  readonly stderr: () => string;
}

async function greeting(
  { child, ended, name, stderr }: Greeting,
  { startTimeout = 60_000, signal }: LaunchOptions,
): Promise<string> {
  const settled = new AbortController();
  const waits = AbortSignal.any([AbortSignal.timeout(startTimeout), settled.signal, ...(signal ? [signal] : [])]);
  const late = new Promise<undefined>((settle) => {
    waits.addEventListener('abort', () => settle(undefined), { once: true });
  });
  try {
    const line = await Promise.race([firstLine(child.stdout), late]);
    signal?.throwIfAborted();
    if (line !== undefined) return line;
    const what = waits.aborted ? `it did not say where it listens within ${startTimeout / 1000} s` : await soon(ended);
    const said = stderr();
    throw new ErrandError('provider/failed', `launched ${name}; ${what}${said === '' ? '' : `. It wrote:\n${said}`}`, {
      next: 'Run the plugin’s executable by hand to see what it needs.',
    });
  } finally {
    settled.abort();
  }
}

/** stdout closes a moment before the exit is known; a line without an end closes nothing. */
async function soon(ended: Promise<string>): Promise<string> {
  const timer = Promise.withResolvers<string>();
  const handle = setTimeout(
    timer.resolve,
    500,
    'it closed its output, or wrote a line without an end, instead of saying where it listens',
  );
  try {
    return await Promise.race([ended, timer.promise]);
  } finally {
    clearTimeout(handle);
  }
}
