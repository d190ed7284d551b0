import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ProviderDefinition } from '@errand/contract';
import { variables } from '../handshake/cookie.ts';
import { serveProvider } from '../wire/serve.ts';
import { readingOptions } from './read-options.ts';
import { servePlugin } from './serve-plugin.ts';

/** The whole of a provider's `bin.ts`: a program that Errand, or a Go host, launches as a plugin. */
export async function serveProviderPlugin(definition: ProviderDefinition): Promise<void> {
  const { name, version, infraOptions } = definition;
  await servePlugin({
    name,
    open: async (server) => {
      const home = process.env[variables.home] ?? join(homedir(), '.local/share/errand-plugins', name);
      await mkdir(home, { recursive: true, mode: 0o700 });
      const dataDirectory = process.env[variables.dataDirectory];
      // What the provider made outlives this process, so nothing but its own disposal ends it.
      const { signal } = new AbortController();
      const context = { home, signal, ...(dataDirectory !== undefined && { dataDirectory }) };
      // An empty config: what there is must be told before the config comes.
      const provider = await definition.open(infraOptions ? { ...context, config: {} } : context);
      const from = process.env[variables.optionsFrom];
      const served = from === undefined ? provider : readingOptions(provider, definition, from);
      serveProvider(server, served, { name, version });
      // A host of ours has jobs on our own services, and the public ones would only delay its start.
      const isOurs = process.env[variables.lifeline] !== undefined;
      const hasResources = infraOptions && !(provider.runner && process.env[variables.jobsOnly] === '1');
      if (!hasResources && (isOurs || !provider.runner)) return provider;
      const { servePublic } = await import('./serve-public.ts');
      const open = servePublic(server, definition, served, context, from === undefined ? undefined : { directory: from });
      return {
        async [Symbol.asyncDispose]() {
          await open[Symbol.asyncDispose]();
          await provider[Symbol.asyncDispose]();
        },
      };
    },
  });
}
