import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Provider, ProviderContext, ProviderDefinition } from '@errand/contract';
import { envSecret } from '../ephemeral/env-secret.ts';
import { SecretService } from '../gen/errand/v1/secret_pb.js';
import { variables } from '../handshake/cookie.ts';
import { serviceDefinition } from '../wire/definition.ts';
import { serveProvider } from '../wire/serve.ts';
import { createSecretAsker } from './ask-secrets.ts';
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
      const isOurs = process.env[variables.lifeline] !== undefined;
      const asker = isOurs ? createSecretAsker() : undefined;
      if (asker) server.addService(serviceDefinition(SecretService), asker.service);
      const secret = asker?.ask ?? ((reference: string) => envSecret(process.env, reference));
      const context = { home, signal, secret, ...(dataDirectory !== undefined && { dataDirectory }) };
      const { provider, hasResources } = await openFirst(definition, context);
      const from = process.env[variables.optionsFrom];
      const served = from === undefined ? provider : readingOptions(provider, definition, from);
      serveProvider(server, served, { name, version, asksForSecrets: isOurs });
      // A host of ours has jobs on our own services, and the public ones would only delay its start.
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

/** A host that wants jobs is spared the resources: loading them is a good part of a plugin's start. */
async function openFirst(
  definition: ProviderDefinition,
  context: ProviderContext,
): Promise<{ readonly provider: Provider; readonly hasResources: boolean }> {
  if (!definition.infraOptions) return { provider: await definition.open(context), hasResources: false };
  if (process.env[variables.wanted] === 'jobs') {
    const provider = await definition.open(context);
    if (provider.runner) return { provider, hasResources: false };
    await provider[Symbol.asyncDispose]();
  }
  // An empty config: what there is must be told before the config comes.
  return { provider: await definition.open({ ...context, config: {} }), hasResources: true };
}
