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
  const { name, version } = definition;
  await servePlugin({
    name,
    open: async (server) => {
      const home = process.env[variables.home] ?? join(homedir(), '.local/share/errand-plugins', name);
      await mkdir(home, { recursive: true, mode: 0o700 });
      const dataDirectory = process.env[variables.dataDirectory];
      // What the provider made outlives this process, so nothing but its own disposal ends it.
      const { signal } = new AbortController();
      const provider = await definition.open({ home, signal, ...(dataDirectory !== undefined && { dataDirectory }) });
      const from = process.env[variables.optionsFrom];
      const served = from === undefined ? provider : readingOptions(provider, definition, from);
      serveProvider(server, served, { name, version });
      // A host of ours has all of this on our own services, and their descriptors would only delay its start.
      if (provider.runner && process.env[variables.lifeline] === undefined) {
        const { servePublicJobs } = await import('./serve-public-jobs.ts');
        servePublicJobs(server, { ...served, runner: provider.runner }, { name, version });
      }
      return provider;
    },
  });
}
