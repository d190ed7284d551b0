import { rmSync } from 'node:fs';
import { Client } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import { verifyPlugin } from '../lock/verify.ts';
import type { Ending, PluginChild } from './child.ts';
import type { Connection } from './dial.ts';
import { endOrphans } from './orphans.ts';
import { readPluginDirectory } from './plugin-directory.ts';
import type { PluginDirectory } from './plugin-directory.ts';
import { sayEnding, withLastLines } from './say.ts';
import { startPlugin } from './start.ts';
import type { StartOptions } from './start.ts';
import { drainStdio } from './stdio.ts';
import { stopChild } from './stop.ts';

export interface LaunchOptions extends Pick<StartOptions, 'home' | 'dataDirectory' | 'optionsFrom' | 'wanted' | 'env'> {
  readonly directory: string;
  /** The `errand.lock` that must name the executable. Undefined trusts any: only for a plugin that was named by hand. */
  readonly lockFile: string | undefined;
  /** What the plugin says on stderr, and what is to be said about its process. */
  readonly log: (line: string) => void;
  readonly startDeadline?: number;
  /** Milliseconds that a plugin has to end by itself when it is stopped. */
  readonly grace?: number;
  readonly tls?: StartOptions['tls'];
  /** Ends the launch, and what was launched so far with it. No effect once it is launched. */
  readonly signal?: AbortSignal;
}

export interface LaunchedPlugin extends AsyncDisposable {
  readonly plugin: PluginDirectory;
  readonly pid: number;
  readonly connection: Connection;
  /** On the shared connection. */
  readonly client: Client;
  readonly secure: boolean;
  /** Resolves when the process is gone. */
  readonly ended: Promise<Ending>;
  /** Why it ended, for a person. Undefined while it lives. */
  readonly epitaph: () => string | undefined;
  /** Asks, forces, gives up with a note. Idempotent; never throws. */
  readonly stop: () => Promise<void>;
}

/** Resolves when the plugin has taken our connection. When it throws, nothing of the plugin is left. */
export async function launchPlugin(options: LaunchOptions): Promise<LaunchedPlugin> {
  const { home, log, startDeadline = 60_000, grace = 2000, tls = 'prefer' } = options;
  const signal = options.signal ?? new AbortController().signal;
  const plugin = await readPluginDirectory(options.directory);
  if (options.lockFile !== undefined) await verifyPlugin(plugin, options.lockFile);
  await endOrphans(home, log);
  const begun = performance.now();
  const started = await startPlugin({ ...options, plugin, startDeadline, tls, signal });
  const { child, connection } = started;
  const client = new Client(connection.address, connection.credentials, connection.options);
  const guard = killAtExit(child, started.socketDirectory);
  void child.ended.then(guard.release);

  let stopping: Promise<void> | undefined;
  const end = async (ask: boolean) => {
    const gone = await stopChild(child, ask ? client : undefined, { grace, log });
    client.close();
    if (gone) await started.clear();
  };
  const stop = (ask = true) => (stopping ??= end(ask));
  try {
    await ready(client, Math.max(1000, startDeadline - (performance.now() - begun)), plugin, child);
  } catch (error) {
    await stop(false);
    throw error;
  }
  drainStdio(client, log);
  // A plugin that ends by itself leaves its record and sockets to us.
  void child.ended.then(() => stop(false));
  return {
    plugin,
    pid: child.pid,
    connection,
    client,
    secure: connection.secure,
    ended: child.ended,
    epitaph: () => epitaphOf(plugin, child),
    stop: () => stop(),
    [Symbol.asyncDispose]: () => stop(),
  };
}

/** A handshake is a promise to listen; this sees it kept, and the certificates taken by both sides. */
async function ready(client: Client, within: number, plugin: PluginDirectory, child: PluginChild): Promise<void> {
  const connected = new Promise<void>((resolve, reject) => {
    client.waitForReady(Date.now() + within, (error) => (error === undefined ? resolve() : reject(error)));
  });
  const died = child.ended.then(() => {
    throw new Error('it ended');
  });
  await Promise.race([connected, died]).catch((error: unknown) => {
    connected.catch(() => undefined);
    const text = epitaphOf(plugin, child) ?? `the plugin ${plugin.path} gave its handshake and takes no connection`;
    throw new ErrandError('provider/failed', withLastLines(text, child.lastLines()), {
      next: 'Try again; if it stays so, ask the plugin’s author.',
      retry: 'later',
      cause: error,
    });
  });
  died.catch(() => undefined);
}

function epitaphOf(plugin: PluginDirectory, child: PluginChild): string | undefined {
  const ending = child.ending();
  return ending === undefined ? undefined : `the plugin ${plugin.path} ended with ${sayEnding(ending)}`;
}

/** A host that leaves by `process.exit` takes its plugins along; one that is killed leaves them to the next start. */
function killAtExit(child: PluginChild, socketDirectory: string): { readonly release: () => void } {
  const kill = () => {
    child.signal('SIGKILL');
    rmSync(socketDirectory, { recursive: true, force: true });
  };
  process.setMaxListeners(process.getMaxListeners() + 1);
  process.once('exit', kill);
  return {
    release: () => {
      process.off('exit', kill);
      process.setMaxListeners(process.getMaxListeners() - 1);
    },
  };
}
