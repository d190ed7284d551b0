import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { providersByName } from '../providers.ts';
import { visible } from '../render/text.ts';
import { noSuchProvider, providerSite } from './provider-site.ts';

export const providerLockCommand: Action = async (context, args) => {
  const { plugins, lockFile } = await providerSite(context);
  const only = args.positional(0);
  const chosen = only === undefined ? plugins : plugins.filter(({ name }) => name === only);
  if (only !== undefined && providersByName.has(only)) {
    throw new ErrandError('usage/invalid', `'${only}' is built in: there is no program of its own to pin`, {
      next: 'Name a plugin of the config, or none for all of them.',
    });
  }
  if (only !== undefined && chosen.length === 0)
    throw noSuchProvider(
      only,
      plugins.map(({ name }) => name),
    );
  const { lockPlugin, lookUpPin, readPluginDirectory } = await import('@errand/plugin');
  for (const { name, directory } of chosen) {
    const plugin = await readPluginDirectory(directory);
    const { digest, refusal } = await lookUpPin(plugin, lockFile);
    const changed = refusal !== undefined;
    if (changed) await lockPlugin(plugin, lockFile);
    const { version } = plugin;
    if (context.json) await printJson(context, { name, directory, version, sha256: digest, changed });
    else await printLine(context, `${visible(name)} ${visible(version)} ${digest} ${changed ? 'locked' : 'was locked already'}`);
  }
  if (chosen.length === 0) await context.say('the config names no plugins; there is nothing to pin');
  return 0;
};
