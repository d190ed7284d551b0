import type { PluginEntry } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { builtinProviders } from '../providers.ts';
import { table } from '../render/table.ts';
import { visible } from '../render/text.ts';
import { providerSite } from './provider-site.ts';

interface Listed {
  readonly name: string;
  readonly kind: 'built-in' | 'plugin';
  readonly version: string;
  readonly summary: string;
  readonly directory?: string;
  /** Of a plugin: whether it may be launched. */
  readonly locked?: boolean;
  readonly problem?: string;
}

/** Reads files; launches nothing. */
export const providerListCommand: Action = async (context) => {
  const { plugins, lockFile } = await providerSite(context);
  const builtin = builtinProviders.map(({ name, version, summary }): Listed => ({ name, kind: 'built-in', version, summary }));
  const all = [...builtin, ...(await Promise.all(plugins.map((entry) => listed(entry, lockFile))))];
  if (context.json) {
    for (const one of all) await printJson(context, one);
    return 0;
  }
  const head = ['PROVIDER', 'KIND', 'VERSION', 'LOCKED', 'SUMMARY'].map((text) => ({ text, paint: context.style.bold }));
  const rows = all.map(({ name, kind, version, locked, problem, summary }) => [
    { text: visible(name) },
    { text: kind },
    { text: visible(version) },
    locked === false ? { text: 'no', paint: context.style.red } : { text: locked === undefined ? '' : 'yes' },
    { text: visible(problem ?? summary), ...(problem === undefined && { paint: context.style.dim }) },
  ]);
  for (const line of table(head, rows, context.out.columns)) await printLine(context, line);
  if (all.some(({ locked }) => locked === false)) await context.say('pin what you mean to launch with: errand provider lock');
  return 0;
};

/** One plugin that cannot be read does not keep the others from being listed. */
async function listed({ name, directory }: PluginEntry, lockFile: string): Promise<Listed> {
  const { lookUpPin, readPluginDirectory } = await import('@errand/plugin');
  const base = { name, kind: 'plugin', directory } as const;
  try {
    const plugin = await readPluginDirectory(directory);
    const { refusal } = await lookUpPin(plugin, lockFile);
    const known = { ...base, version: plugin.version, summary: plugin.description, locked: refusal === undefined };
    return refusal === undefined ? known : { ...known, problem: `its program ${refusal}` };
  } catch (error) {
    return { ...base, version: '', summary: '', locked: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
