import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Attributes, Json, Provider, ProviderContext, ProviderDefinition } from '@errand/contract';
import { variables } from '../handshake/cookie.ts';
import { serveProvider } from '../wire/serve.ts';
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
      const context = { home, signal, ...(dataDirectory !== undefined && { dataDirectory }) };
      // An empty config: what there is must be told before the config comes.
      const provider = await definition.open(definition.infraOptions ? { ...context, config: {} } : context);
      serveProvider(server, provider, { name, version });
      if (!definition.infraOptions) return provider;
      const infra = await serveInfra(server, definition, provider, context);
      return {
        async [Symbol.asyncDispose]() {
          await infra[Symbol.asyncDispose]();
          await provider[Symbol.asyncDispose]();
        },
      };
    },
  });
}

async function serveInfra(
  server: Server,
  definition: ProviderDefinition,
  provider: Provider,
  context: ProviderContext,
): Promise<AsyncDisposable> {
  // Loaded late: its code is most of the start of a plugin without resources.
  const { serveIac } = await import('../iac/serve.ts');
  const { name, version, summary: description } = definition;
  const open = async (config: Json) => await definition.open({ ...context, config: await checked(definition, config) });
  return serveIac(server, provider, { name, version, description, open });
}

/** A host of ours has looked at the config already; another one sends its whole module, the name of the provider included. */
async function checked(definition: ProviderDefinition, config: Json): Promise<Json> {
  const schema = await definition.infraOptions?.();
  if (!schema) return config;
  const { provider: _, ...rest } = config as Attributes;
  const whole = schema.safeParse(config);
  const result = whole.success ? whole : schema.safeParse(rest);
  if (result.success) return result.data as Json;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'config'}: ${message}`);
  throw new ErrandError('config/invalid', `opened the provider ${definition.name} with its config: ${problems.join('; ')}`, {
    next: 'Correct the config of the provider.',
  });
}
