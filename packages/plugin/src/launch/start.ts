import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import { createCertificate } from '../certificate/self-signed.ts';
import type { Certificate } from '../certificate/self-signed.ts';
import { parseHandshake } from '../handshake/line.ts';
import type { Handshake } from '../handshake/line.ts';
import { checkSocket } from './check-socket.ts';
import { spawnChild } from './child.ts';
import type { PluginChild } from './child.ts';
import { environmentOf } from './environment.ts';
import { identityOf } from './process-identity.ts';
import type { PluginDirectory } from './plugin-directory.ts';
import { openRecord, socketPrefix } from './record.ts';
import type { OpenRecord } from './record.ts';
import { sayEnding, withLastLines } from './say.ts';

export interface StartOptions {
  readonly plugin: PluginDirectory;
  /** The provider's private directory on this machine. */
  readonly home: string;
  readonly dataDirectory?: string;
  /** Where the options of environments were written. Given: they come unread, and the plugin reads them with its schema. */
  readonly optionsFrom?: string;
  /** Only places and jobs will be asked for, where the plugin has them. */
  readonly wanted?: 'jobs';
  /** Variables for this plugin, beside the few that every plugin inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** Milliseconds from the start of the process to its handshake. */
  readonly startDeadline: number;
  /** `prefer`: mutual TLS whenever the plugin can. */
  readonly tls: 'prefer' | 'require' | 'off';
  readonly signal: AbortSignal;
}

export interface Spawned {
  readonly child: PluginChild;
  /** Ours, which the plugin was told. */
  readonly certificate: Certificate | undefined;
  readonly socketDirectory: string;
  /** Takes back what is not the process. Call it when the process is gone; may be called twice. */
  readonly clear: () => Promise<void>;
}

/** Spawns the program. When it throws, nothing of the plugin is left. */
export async function spawnPlugin(options: StartOptions): Promise<Spawned> {
  const { plugin, home, log, tls } = options;
  options.signal.throwIfAborted();
  const certificate = tls === 'off' ? undefined : createCertificate();
  const socketDirectory = await mkdtemp(join(tmpdir(), socketPrefix)).catch(notWritten);
  let record: OpenRecord | undefined;
  const clear = async () => {
    await rm(socketDirectory, { recursive: true, force: true });
    await record?.remove();
  };
  let child: PluginChild | undefined;
  try {
    record = await openRecord(home, plugin.path, socketDirectory).catch(notWritten);
    const env = environmentOf({
      host: process.env,
      own: options.env ?? {},
      socketDirectory,
      // Apart from our records.
      home: join(home, 'provider'),
      ...(options.dataDirectory === undefined ? {} : { dataDirectory: options.dataDirectory }),
      ...(options.optionsFrom === undefined ? {} : { optionsFrom: options.optionsFrom }),
      ...(options.wanted === undefined ? {} : { wanted: options.wanted }),
      ...(certificate === undefined ? {} : { clientCertificate: certificate.pem }),
    });
    child = await spawnChild({ executable: plugin.executable, directory: plugin.path, env, log });
    await record.started(identityOf(child.pid));
    return { child, certificate, socketDirectory, clear };
  } catch (error) {
    child?.signal('SIGKILL');
    await child?.ended;
    await clear();
    throw error;
  }
}

/** What the program says first, when it can be believed. */
export async function hearHandshake(child: PluginChild, options: StartOptions): Promise<Handshake> {
  const line = await firstLineInTime(child, options);
  const name = options.plugin.path;
  if (line === undefined) {
    // The end of the process explains the end of its output; one that only closes it gets no more time.
    await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, 500))]);
    const ending = child.ending();
    const what = ending === undefined ? 'it closed its output' : `it ended with ${sayEnding(ending)}`;
    throw failed(`started the plugin ${name}: ${what} before its handshake`, child);
  }
  const handshake = parseHandshake(line);
  if (typeof handshake === 'string') throw failed(`started the plugin ${name}: ${handshake}`, child);
  if (handshake.certificate !== undefined && !isCertificate(handshake.certificate)) {
    throw failed(`started the plugin ${name}: what it gave for its certificate is none`, child);
  }
  if (options.tls === 'require' && handshake.certificate === undefined) {
    throw failed(`started the plugin ${name}: it offers no TLS, and the configuration requires it`, child);
  }
  if (handshake.certificate !== undefined && options.tls === 'off') {
    throw failed(`started the plugin ${name}: it wants TLS without having been asked for it`, child);
  }
  await checkSocket(options.plugin, handshake.endpoint);
  return handshake;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.equals(der);
  } catch {
    return false;
  }
}

async function firstLineInTime(child: PluginChild, options: StartOptions): Promise<string | undefined> {
  const { startDeadline, signal, plugin } = options;
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const text = `started the plugin ${plugin.path}: no handshake within ${startDeadline} ms`;
      reject(new ErrandError('provider/timeout', withLastLines(text, child.lastLines()), { next: hint, retry: 'later' }));
    }, startDeadline);
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void child.firstLine.then(resolve).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    });
  });
}

/** Our own disk, not the plugin's fault. */
function notWritten(error: NodeJS.ErrnoException): never {
  const full = error.code === 'ENOSPC';
  throw new ErrandError(full ? 'disk/full' : 'home/unwritable', `prepared to launch a plugin: ${error.message}`, {
    next: full ? 'Free some space.' : 'Make the directory writable for the user who runs Errand.',
    cause: error,
  });
}

const hint = 'Look at the lines that it printed, or ask its author for a version that speaks this protocol.';

function failed(text: string, child: PluginChild): ErrandError {
  return new ErrandError('provider/failed', withLastLines(text, child.lastLines()), { next: hint });
}
