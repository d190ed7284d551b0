import { ErrandError } from '@errand/contract';
import { didYouMean, loadConfig, locateConfig, lockName } from '@errand/core';
import type { Config, PluginEntry } from '@errand/core';
import { dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { providersByName } from '../providers.ts';

/** What the config says about plugins, and where their pins are. */
export interface ProviderSite {
  readonly config: Config;
  readonly plugins: readonly PluginEntry[];
  /** The directory of the config file, or the working directory. */
  readonly directory: string;
  readonly lockFile: string;
}

export async function providerSite({ config: given, cwd, env }: Context): Promise<ProviderSite> {
  const path = locateConfig(given, cwd);
  const config = await loadConfig({ cwd, env, providers: providersByName, ...(path !== undefined && { path }) });
  const directory = config.file === undefined ? cwd : dirname(config.file);
  return { config, plugins: [...(config.plugins?.values() ?? [])], directory, lockFile: join(directory, lockName) };
}

export function noSuchProvider(name: string, known: readonly string[]): ErrandError {
  const close = didYouMean(name, known);
  return new ErrandError('provider/unknown', `there is no provider '${name}'${close ? `; ${close}` : ''}`, {
    next: known.length > 0 ? `Known are: ${known.join(', ')}.` : 'Name a plugin under providers: in errand.yaml first.',
  });
}
