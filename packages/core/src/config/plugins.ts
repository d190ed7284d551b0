// The top-level `providers:` of a config file: programs that are used like the built-in providers.
import { dirname, resolve } from 'node:path';
import type { Diagnostic, Json, ProviderDefinition } from '@errand/contract';
import * as z from 'zod';
import { explainIssues } from './issues.ts';
import { environmentName, pluginEntry } from './schema.ts';
import { toData, type Branch, type Tree } from './tree.ts';
import type { PluginEntry } from './types.ts';

export function readPlugins(
  tree: Tree | undefined,
  file: string,
  builtin: ReadonlyMap<string, unknown>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, PluginEntry> {
  const plugins = new Map<string, PluginEntry>();
  if (tree === undefined) return plugins;
  const report = (at: Tree['at'], message: string, hint: string) =>
    diagnostics.push({ severity: 'error', message, file, ...at, hint });
  if (tree.kind !== 'map') {
    report(
      tree.at,
      'providers: expected a map of names',
      'Write `providers:` and below it `  cloud: { plugin: ./plugins/cloud }`.',
    );
    return plugins;
  }
  for (const [name, { key, value }] of tree.entries) {
    if (!environmentName.test(name))
      report(key, `'${name}' cannot be the name of a provider`, 'Use up to 63 of a-z, 0-9, and . _ - after the first.');
    else if (builtin.has(name))
      report(
        key,
        `providers: '${name}' is a built-in provider`,
        'Give the plugin another name; environments name it as their provider.',
      );
    else if (value.kind !== 'map')
      report(
        value.at,
        `the provider '${name}' is not a map of keys`,
        `Write for instance \`${name}: { plugin: ./plugins/${name} }\`.`,
      );
    else {
      const entry = readEntry(name, value, file, diagnostics);
      if (entry) plugins.set(name, entry);
    }
  }
  return plugins;
}

type Definition = Pick<ProviderDefinition, 'options'>;

/** Whatever an environment says beside the common keys is the plugin's to read. */
export function withPlugins(
  builtin: ReadonlyMap<string, Definition>,
  plugins: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, Definition> {
  const open: Definition = { options: async () => z.looseObject({}) };
  return new Map([...builtin, ...[...plugins.keys()].map((name) => [name, open] as const)]);
}

function readEntry(name: string, tree: Branch, file: string, diagnostics: Diagnostic[]): PluginEntry | undefined {
  const parsed = pluginEntry.safeParse(toData(tree));
  if (!parsed.success) {
    diagnostics.push(...explainIssues({ file, tree, schema: pluginEntry }, parsed.error.issues));
    return undefined;
  }
  const { plugin, config, env = {} } = parsed.data;
  const variables = Object.entries(env);
  return {
    name,
    directory: resolve(dirname(file), plugin),
    ...(config === undefined ? {} : { config: config as Json }),
    env: Object.fromEntries(variables.flatMap(([key, value]) => (typeof value === 'object' ? [] : [[key, String(value)]]))),
    secretEnv: Object.fromEntries(variables.flatMap(([key, value]) => (typeof value === 'object' ? [[key, value.secret]] : []))),
  };
}
