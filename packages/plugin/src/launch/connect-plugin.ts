// What a launched plugin is as a provider: our own services where it has them, else those of the public contract.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Diagnostic, Infra, Json, Provider } from '@errand/contract';
import { jobCapabilities } from '../ephemeral/capabilities.ts';
import { connectProvider } from '../wire/connect.ts';
import type { ConnectedProvider } from '../wire/connect.ts';
import type { PublicPlugin } from './connect-public.ts';
import type { Connection } from './dial.ts';

export interface PluginConnectOptions {
  /** How the provider is called in the configuration. */
  readonly name: string;
  /** The provider's own keys, for a plugin that takes any. */
  readonly config?: Json;
  /** Resolves references in `config`. */
  readonly secret?: (reference: string) => Promise<string>;
}

export interface PluginProvider extends Provider {
  readonly served: ConnectedProvider['served'] & {
    /** Full names of all that it advertises of the public contract. */
    readonly services: readonly string[];
  };
  readonly infra?: Infra;
}

export async function connectPlugin(
  options: PluginConnectOptions,
  connection: Connection,
  signal: AbortSignal,
): Promise<PluginProvider> {
  const { name, config } = options;
  const { address, credentials, options: channel } = connection;
  const own = await unlessUnsupported(connectProvider({ name, address, credentials, channel, signal }));
  try {
    // One that is all ours is ready now; whether it also speaks the public contract does not matter.
    if (own?.runner && config === undefined) return { ...own, served: { ...own.served, services: [] } };
    const { connectPublic } = await import('./connect-public.ts');
    const connecting = connectPublic(options, connection, signal);
    const open = own ? await unlessUnsupported(connecting) : await connecting;
    if (own && !open && config !== undefined) throw takesNoConfig(name);
    return combine(name, own, open);
  } catch (error) {
    await own?.[Symbol.asyncDispose]();
    throw error;
  }
}

function combine(name: string, own: ConnectedProvider | undefined, open: PublicPlugin | undefined): PluginProvider {
  const services = open?.services ?? [];
  const jobs = own?.runner ? undefined : open?.jobs;
  const runs = own?.runner
    ? { runner: own.runner, ...(own.host && { host: own.host }), ...(own.check && { check: own.check.bind(own) }) }
    : (jobs ?? { check: async () => [runsNothing(name, services)] });
  return {
    capabilities: own?.runner ? own.capabilities : jobCapabilities,
    served: { name, version: '', optionsSchema: null, ...open?.served, ...own?.served, services },
    ...runs,
    ...(open && { infra: open.infra }),
    ...(own?.warm && { warm: own.warm.bind(own) }),
    async [Symbol.asyncDispose]() {
      await own?.[Symbol.asyncDispose]();
      await open?.[Symbol.asyncDispose]();
    },
  };
}

async function unlessUnsupported<T>(connecting: Promise<T>): Promise<T | undefined> {
  try {
    return await connecting;
  } catch (error) {
    if (isErrandError(error, 'environment/unsupported')) return undefined;
    throw error;
  }
}

function runsNothing(name: string, services: readonly string[]): Diagnostic {
  const advertised = services.length === 0 ? 'it advertises nothing else' : `it advertises ${services.join(', ')}`;
  return {
    severity: 'error',
    message: `the plugin of the provider ${name} runs no jobs: ${advertised}`,
    hint: 'Use a provider whose plugin serves a runner; `errand provider list` shows which do.',
  };
}

function takesNoConfig(name: string): ErrandError {
  return new ErrandError('config/invalid', `opened the provider ${name}: it has a config, and its plugin takes none`, {
    next: 'Remove the config of the provider; what its jobs need belongs into the environments that use it.',
  });
}
