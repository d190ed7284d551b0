// The only wiring: reads the process's surroundings and puts the parts together.
import { createRedactor } from '@errand/contract';
import type { ProviderDefinition } from '@errand/contract';
import { join, resolve } from 'node:path';
import { systemPorts } from '../base/system.ts';
import { dataDirectory, defaultSecretDirectory } from '../config/home.ts';
import { locateConfig } from '../config/find.ts';
import { loadConfig } from '../config/load.ts';
import { createEngine } from '../engine/create.ts';
import type { Settings } from '../engine/types.ts';
import { createFileLogs } from '../logs/files.ts';
import { createSecrets } from '../secrets/create.ts';
import { checkSecretDirectory } from '../secrets/directory.ts';
import { openStore } from '../store/open.ts';
import { prepareHome } from './prepare-home.ts';
import { runtimeOn } from './runtime.ts';
import type { Runtime, RuntimeOptions } from './sdk.ts';

export interface WiringOptions extends RuntimeOptions {
  readonly providers: readonly ProviderDefinition[];
  readonly settings?: Partial<Settings>;
}

export async function createRuntime(options: WiringOptions): Promise<Runtime> {
  const env = options.env ?? process.env;
  const cwd = process.cwd();
  const file = await locateConfig(options.config, cwd);
  const home =
    options.home === undefined
      ? await dataDirectory({ env, cwd, ...(file !== undefined && { file }) })
      : resolve(cwd, options.home);
  const providers = new Map(options.providers.map((definition) => [definition.name, definition]));
  const config = await loadConfig({ cwd, env, providers, ...(file !== undefined && { path: file }) });
  await prepareHome(home);
  const directory = config.secretDirectory ?? defaultSecretDirectory(env);
  await checkSecretDirectory(directory, home);
  const url = options.store ?? config.store;
  const store = await openStore({ home, ...(url !== undefined && { url }) });
  const secrets = createSecrets({ env, directory });
  const engine = createEngine({
    store,
    home,
    secrets,
    logs: createFileLogs(join(home, 'logs')),
    ports: systemPorts(),
    definitions: options.providers,
    redact: (text) => createRedactor(secrets.values()).text(text),
    ...(options.log && { log: options.log }),
    ...(options.settings && { settings: options.settings }),
  });
  return runtimeOn({ engine, config, home, cwd, recover: options.recover ?? true });
}
