// The only wiring, in two steps: this one finds out what is wanted and gets what takes time going; `assemble.ts`, which
// loads the store and the engine, puts the parts together meanwhile.
import { createRedactor } from '@errand/contract';
import type { ProviderDefinition } from '@errand/contract';
import { dirname, join, resolve } from 'node:path';
import { systemPorts } from '../base/system.ts';
import { dataDirectory, defaultSecretDirectory } from '../config/home.ts';
import { locateConfig } from '../config/find.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/types.ts';
import type { Settings } from '../engine/types.ts';
import { lockName, pluginProvider } from '../providers/plugin.ts';
import { createProviders } from '../providers/registry.ts';
import type { Providers } from '../providers/registry.ts';
import { createSecrets } from '../secrets/create.ts';
import { checkSecretDirectory } from '../secrets/directory.ts';
import { readVersionKey } from '../secrets/version-key.ts';
import { prepareHome } from './prepare-home.ts';
import type { Runtime, RuntimeOptions } from './sdk.ts';

export interface WiringOptions extends RuntimeOptions {
  readonly providers: readonly ProviderDefinition[];
  readonly settings?: Partial<Settings>;
}

export async function createRuntime(options: WiringOptions): Promise<Runtime> {
  const env = options.env ?? process.env;
  const cwd = process.cwd();
  const file = locateConfig(options.config, cwd);
  const found = { env, cwd, ...(file !== undefined && { file }) };
  const home = options.home === undefined ? dataDirectory(found) : resolve(cwd, options.home);
  const definitions = new Map(options.providers.map((definition) => [definition.name, definition]));
  const config = await loadConfig({ cwd, env, providers: definitions, ...(file !== undefined && { path: file }) });
  prepareHome(home);
  const directory = config.secretDirectory ?? defaultSecretDirectory(env);
  checkSecretDirectory(directory, home);
  const ports = systemPorts();
  const secrets = createSecrets({ env, directory, versionKey: () => readVersionKey(home) });
  const redact = (text: string) => createRedactor(secrets.values()).text(text);
  const providers = createProviders({
    definitions: [...options.providers, ...pluginsOf(config, env, (line) => options.log?.(redact(line)))],
    home,
    ports,
    redact,
    secret: (reference) => secrets.resolve(reference),
  });
  if (options.soon !== undefined) await warm(providers, config, options.soon);
  const { assemble } = await import('./assemble.ts');
  return assemble(options, { home, cwd, config, ports, secrets, redact, providers, secretDirectory: directory });
}

/** A plugin's own lines are for those who look into it; why it failed is told with its last lines anyway. */
function pluginsOf({ file, plugins }: Config, env: RuntimeOptions['env'], log: (line: string) => void): ProviderDefinition[] {
  if (file === undefined) return [];
  const directory = dirname(file);
  const say = env?.['ERRAND_DEBUG'] === '1' ? log : () => {};
  const site = { directory, lockFile: join(directory, lockName), log: say };
  return [...(plugins?.values() ?? [])].map((entry) => pluginProvider(entry, site));
}

/** What takes its time to come up does so while the rest is loaded. Whatever is wrong is said when it is needed. */
async function warm(providers: Providers, config: Config, soon: NonNullable<RuntimeOptions['soon']>): Promise<void> {
  const environment = config.environments.get(soon.environment);
  if (!environment) return;
  try {
    const provider = await providers.open(environment.provider, environment.options);
    const image = soon.image ?? environment.image;
    provider.warm?.({ options: environment.options, ...(image !== undefined && { image }) });
    // What it wrote leaves with the next turn of the event loop, and loading the rest would be one long turn.
    await new Promise((done) => setImmediate(done));
  } catch {
    // The run that needs it runs into the same, with somebody to tell.
  }
}
