import type { Provider, ProviderContext } from '@errand/contract';
import { createSecrets, dataDirectory, defaultSecretDirectory, pluginProvider } from '@errand/core';
import type { Served } from '@errand/core';
import { resolve } from 'node:path';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { builtinProviders } from '../providers.ts';
import { visible } from '../render/text.ts';
import { noSuchProvider, providerSite } from './provider-site.ts';
import type { ProviderSite } from './provider-site.ts';

export const providerInspectCommand: Action = async (context, args) => {
  const name = args.positional(0) ?? '';
  const site = await providerSite(context);
  const entry = site.plugins.find((one) => one.name === name);
  const builtin = builtinProviders.find((one) => one.name === name);
  if (!entry && !builtin) {
    throw noSuchProvider(
      name,
      [...builtinProviders, ...site.plugins].map((one) => one.name),
    );
  }
  const opening = await openingFor(context, site, name);
  const said: string[] = [];
  const log = (line: string) => said.push(line);
  const definition = entry ? pluginProvider(entry, { ...site, log }) : builtin;
  await using provider: (Provider & { readonly served?: Served }) | undefined = await definition?.open(opening);
  if (!provider) return 0;
  const { served, capabilities, infra } = provider;
  const shown = {
    name,
    kind: entry ? 'plugin' : 'built-in',
    version: served?.version ?? builtin?.version ?? '',
    ...(entry && { directory: entry.directory }),
    facets: (['host', 'runner', 'infra'] as const).filter((facet) => provider[facet] !== undefined),
    resources: [...(infra?.drivers.keys() ?? [])].toSorted(),
    services: served?.services ?? [],
    capabilities,
  };
  if (context.json) await printJson(context, shown);
  else for (const line of textOf(shown)) await printLine(context, line);
  return 0;
};

function textOf(shown: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(shown).flatMap(([key, value]) => {
    const label = `${key}:`.padEnd(14);
    if (key === 'capabilities') {
      const facts = Object.entries(value as object).map(([fact, is]) => `  ${fact}: ${visible(String(is) || 'none')}`);
      return [label.trimEnd(), ...facts];
    }
    const text = Array.isArray(value) ? value.join(', ') || 'none' : String(value);
    return [`${label}${visible(text)}`];
  });
}

/** As a run would open it, apart from the data of runs: what a plugin keeps for itself is its own. */
async function openingFor(context: Context, { config }: ProviderSite, name: string): Promise<ProviderContext> {
  const { env, cwd } = context;
  const found = { env, cwd, ...(config.file === undefined ? {} : { file: config.file }) };
  const home = context.home === undefined ? dataDirectory(found) : resolve(cwd, context.home);
  const directory = config.secretDirectory ?? defaultSecretDirectory(env);
  const secrets = createSecrets({ env, directory, versionKey: () => new Uint8Array() });
  return {
    home: resolve(home, name),
    dataDirectory: home,
    signal: new AbortController().signal,
    secret: (reference) => secrets.resolve(reference),
  };
}
