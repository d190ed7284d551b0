// The part of a launch that needs no gRPC: the program starts, and what will talk to it is loaded at the same time.
import { rmSync } from 'node:fs';
import { verifyPlugin } from '../lock/verify.ts';
import type { PluginChild } from './child.ts';
import { endOrphans } from './orphans.ts';
import { readPluginDirectory } from './plugin-directory.ts';
import { spawnPlugin } from './start.ts';
import type { Spawned, StartOptions } from './start.ts';

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

export interface BegunLaunch {
  readonly start: StartOptions;
  readonly spawned: Spawned;
  /** By the monotonic clock. */
  readonly begun: number;
  readonly grace: number;
}

/** Resolves when the program runs. When it throws, nothing of the plugin is left. */
export async function beginLaunch(options: LaunchOptions): Promise<BegunLaunch> {
  const { home, log, startDeadline = 60_000, grace = 2000, tls = 'prefer' } = options;
  const signal = options.signal ?? new AbortController().signal;
  const plugin = await readPluginDirectory(options.directory);
  if (options.lockFile !== undefined) await verifyPlugin(plugin, options.lockFile);
  await endOrphans(home, log);
  const begun = performance.now();
  const start = { ...options, plugin, startDeadline, tls, signal };
  const spawned = await spawnPlugin(start);
  const guard = killAtExit(spawned.child, spawned.socketDirectory);
  void spawned.child.ended.then(guard.release);
  return { start, spawned, begun, grace };
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
