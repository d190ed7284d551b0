// What a launched plugin is as a provider: our own services where it has them, else those of the public contract.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Diagnostic, Json } from '@errand/contract';
import { jobCapabilities } from '../ephemeral/capabilities.ts';
import { connectProvider } from '../wire/connect.ts';
import type { ConnectedProvider, ConnectOptions } from '../wire/connect.ts';
import type { PublicPlugin } from './connect-public.ts';

export interface ConnectPluginOptions extends Pick<ConnectOptions, 'name' | 'address' | 'credentials' | 'channel'> {
  readonly signal: AbortSignal;
  /** The provider's own keys. Absent: only places and jobs are wanted, where the plugin has them by itself. */
  readonly config?: Json | undefined;
  /** Resolves references in `config`, and those in an environment's options that the plugin asks for. */
  readonly secret?: ((reference: string) => Promise<string>) | undefined;
}

export interface PluginProvider extends ConnectedProvider {
  readonly served: ConnectedProvider['served'] & {
    /** Full names of all that it advertises of the public contract; none when it was not asked. */
    readonly services: readonly string[];
  };
}

export async function connectPlugin(options: ConnectPluginOptions): Promise<PluginProvider> {
  const { config, ...connection } = options;
  const { name } = connection;
  const own = await unlessUnsupported(connectProvider(connection));
  try {
    // One that runs jobs by itself is ready now; whether it also speaks the public contract does not matter.
    if (own?.runner && config === undefined) return { ...own, served: { ...own.served, services: [] } };
    // Loaded late: most of our own plugins are wanted for jobs only.
    const { connectPublic, publicServices, runnerService } = await import('./connect-public.ts');
    if (own && config === undefined) {
      const services = await publicServices(options);
      if (!services.includes(runnerService)) return combine(name, own, undefined, services);
    }
    const open = own ? await unlessUnsupported(connectPublic(options)) : await connectPublic(options);
    if (own && !open && config !== undefined) throw takesNoConfig(name);
    return combine(name, own, open);
  } catch (error) {
    await own?.[Symbol.asyncDispose]();
    throw error;
  }
}

function combine(
  name: string,
  own: ConnectedProvider | undefined,
  open: PublicPlugin | undefined,
  services: readonly string[] = open?.services ?? [],
): PluginProvider {
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
