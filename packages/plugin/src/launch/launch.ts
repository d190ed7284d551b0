import { Client } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Ending, PluginChild } from './child.ts';
import { beginLaunch } from './begin.ts';
import type { BegunLaunch, LaunchOptions } from './begin.ts';
import { connectionTo } from './dial.ts';
import type { Connection } from './dial.ts';
import type { PluginDirectory } from './plugin-directory.ts';
import { sayEnding, withLastLines } from './say.ts';
import { hearHandshake } from './start.ts';
import type { Spawned, StartOptions } from './start.ts';
import { drainStdio } from './stdio.ts';
import { stopChild } from './stop.ts';

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
  return finishLaunch(await beginLaunch(options));
}

/** The program is on its way; what talks to it may have been loaded meanwhile. */
export async function finishLaunch({ start, spawned, begun, grace }: BegunLaunch): Promise<LaunchedPlugin> {
  const { plugin, log, startDeadline } = start;
  const { child } = spawned;
  const connection = await meet(start, spawned);
  const client = new Client(connection.address, connection.credentials, connection.options);

  let stopping: Promise<void> | undefined;
  const end = async (ask: boolean) => {
    const gone = await stopChild(child, ask ? client : undefined, { grace, log });
    client.close();
    if (gone) await spawned.clear();
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

async function meet(start: StartOptions, { child, certificate, clear }: Spawned): Promise<Connection> {
  try {
    return connectionTo(await hearHandshake(child, start), certificate);
  } catch (error) {
    child.signal('SIGKILL');
    await child.ended;
    await clear();
    throw error;
  }
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
