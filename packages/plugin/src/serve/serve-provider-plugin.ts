import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Attributes, Json, Provider, ProviderContext, ProviderDefinition } from '@errand/contract';
import { envSecret } from '../ephemeral/env-secret.ts';
import { variables } from '../handshake/cookie.ts';
import { SecretService } from '../gen/errand/v1/secret_pb.js';
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
      // An empty config: what there is must be told before the config comes.
      const provider = await definition.open(definition.infraOptions ? { ...context, config: {} } : context);
      const from = process.env[variables.optionsFrom];
      const served = from === undefined ? provider : readingOptions(provider, definition, from);
      serveProvider(server, served, { name, version, asksForSecrets: isOurs });
      // A host of ours asks for jobs on our own services, and the descriptors of the public ones would only delay its start.
      if (!definition.infraOptions && (isOurs || !provider.runner)) return provider;
      const more = await servePublic(server, definition, served, context);
      return {
        async [Symbol.asyncDispose]() {
          await more[Symbol.asyncDispose]();
          await provider[Symbol.asyncDispose]();
        },
      };
    },
  });
}

/** Resources and jobs, as the public contract has them. */
async function servePublic(
  server: Server,
  definition: ProviderDefinition,
  provider: Provider,
  context: ProviderContext,
): Promise<AsyncDisposable> {
  // Loaded late: its code is most of the start of a plugin without resources.
  const [{ serveIac }, { serveJobRunner }] = await Promise.all([
    import('../iac/serve.ts'),
    import('../ephemeral/serve-job-runner.ts'),
  ]);
  const { name, version, summary: description, infraOptions } = definition;
  const { runner, infra = { drivers: new Map() } } = provider;
  const secret = (reference: string) => envSecret(process.env, reference);
  const jobs = runner && serveJobRunner(server, { ...provider, runner }, { name, secret });
  const open = async (config: Json) => await definition.open({ ...context, config: await checked(definition, config) });
  const also = jobs?.services ?? [];
  const iac = serveIac(server, { infra }, { name, version, description, also, ...(infraOptions && { open }) });
  return {
    async [Symbol.asyncDispose]() {
      jobs?.[Symbol.dispose]();
      await iac[Symbol.asyncDispose]();
    },
  };
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
