// A provider that is a program. What launches it is loaded when one is opened: most runs need none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attributes, Diagnostic, Json, Provider, ProviderContext, ProviderDefinition } from '@errand/contract';
import type { PluginEntry } from '../config/types.ts';

/** Beside the config file: which programs may be launched. */
export const lockName = 'errand.lock';

export interface PluginSite {
  /** Where environments and their options are written. */
  readonly directory: string;
  /** The `errand.lock` that must name the program. */
  readonly lockFile: string;
  /** What the plugin says on stderr, and what is to be said about its process. */
  readonly log: (line: string) => void;
}

/** What a plugin says of itself. */
export interface Served {
  readonly name: string;
  readonly version: string;
  /** Full names of all that it advertises of the public contract; none when it was not asked. */
  readonly services: readonly string[];
}

export interface PluginDefinition extends ProviderDefinition {
  open(context: ProviderContext): Promise<Provider & { readonly served: Served }>;
}

export function pluginProvider(entry: PluginEntry, site: PluginSite): PluginDefinition {
  const { name, directory } = entry;
  return {
    name,
    // Read when somebody wants to know: most commands do not.
    get version() {
      return versionIn(directory);
    },
    summary: `The plugin ${directory}.`,
    // Who has the schema reads the options: the plugin, before anything starts.
    options: async () => (await import('zod')).looseObject({}),
    infraOptions: async () => (await import('zod')).looseObject({}),
    async open({ home, dataDirectory, signal, config: wanted, secret }) {
      const config = withDefaults(entry.config, wanted);
      const { openPluginProvider } = await import('@errand/plugin/open');
      const opened = await openPluginProvider({
        name,
        directory,
        // Apart from what built-in providers and the engine keep in the data directory, whatever the plugin is called.
        home: dataDirectory === undefined ? home : join(dataDirectory, 'plugins', name),
        lockFile: site.lockFile,
        optionsFrom: site.directory,
        env: { ...entry.env, ...(await valuesOf(entry.secretEnv, secret)) },
        log: (line) => site.log(`${name}: ${line}`),
        signal,
        ...(dataDirectory !== undefined && { dataDirectory }),
        ...(config !== undefined && { config: withReferences(config) }),
        ...(secret && { secret }),
      });
      const { optionsSchema } = opened.served;
      return optionsSchema === null ? opened : checkedBy(opened, optionsSchema);
    },
  };
}

/** As its manifest says; empty where that cannot be read, which is told when the plugin is launched. */
function versionIn(directory: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(directory, 'plugin.json'), 'utf8')) as { readonly version?: unknown };
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}

/** What stands with the plugin holds for every use of it; an entry under `infra.providers` may say something else. */
function withDefaults(own: Json | undefined, wanted: Json | undefined): Json | undefined {
  return own === undefined || wanted === undefined ? (wanted ?? own) : { ...(own as Attributes), ...(wanted as Attributes) };
}

async function valuesOf(
  references: Readonly<Record<string, string>>,
  secret: ((reference: string) => Promise<string>) | undefined,
): Promise<Record<string, string>> {
  if (!secret) return {};
  const values = Object.entries(references).map(async ([key, reference]) => [key, await secret(reference)] as const);
  return Object.fromEntries(await Promise.all(values));
}

/** `{ secret: secret://… }`, as everywhere in a config file, becomes the bare reference that is resolved before it is sent. */
function withReferences(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withReferences);
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === 'secret' && typeof only[1] === 'string') return only[1];
  return Object.fromEntries(entries.map(([key, one]) => [key, withReferences(one)]));
}

/** A plugin that gives the JSON Schema of its options has them checked before it is asked itself. */
function checkedBy<P extends Provider>(provider: P, optionsSchema: Json): P {
  return {
    ...provider,
    check: async (request, ask) => {
      const problems = await problemsOf(optionsSchema, request.options);
      return problems.length > 0 ? problems : ((await provider.check?.(request, ask)) ?? []);
    },
  };
}

async function problemsOf(optionsSchema: Json, options: Json): Promise<readonly Diagnostic[]> {
  const { fromJSONSchema } = await import('zod');
  let schema: ReturnType<typeof fromJSONSchema>;
  try {
    schema = fromJSONSchema(optionsSchema as Parameters<typeof fromJSONSchema>[0]);
  } catch {
    // A schema that goes beyond what we can read is the plugin's to apply.
    return [];
  }
  const issues = schema.safeParse(options).error?.issues ?? [];
  return issues.map(({ path, message }) => ({
    severity: 'error',
    message: path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
    hint: 'Correct the environment in errand.yaml.',
  }));
}
