// A provider of ours on the public contract. Loaded only when somebody may want it: its descriptors are many.
import type { Server } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Attributes, Json, OptionsOrigin, Provider, ProviderContext, ProviderDefinition } from '@errand/contract';
import { envSecret } from '../ephemeral/env-secret.ts';
import { serveJobRunner } from '../ephemeral/serve-job-runner.ts';
import { serveIac } from '../iac/serve.ts';

/** Resources and jobs. Disposing of it gives back what was opened for a config; jobs go on. */
export function servePublic(
  server: Server,
  definition: ProviderDefinition,
  provider: Provider,
  context: ProviderContext,
  from: OptionsOrigin | undefined,
): AsyncDisposable {
  const { name, version, summary: description } = definition;
  const { runner } = provider;
  const secret = (reference: string) => envSecret(process.env, reference);
  const jobs = runner && serveJobRunner(server, { ...provider, runner }, { name, secret });
  const open = async (config: Json) => await definition.open({ ...context, config: await checked(definition, config, from) });
  const infra = serveIac(server, provider, {
    name,
    version,
    description,
    also: jobs?.services ?? [],
    ...(definition.infraOptions && { open }),
  });
  return {
    async [Symbol.asyncDispose]() {
      jobs?.[Symbol.dispose]();
      await infra[Symbol.asyncDispose]();
    },
  };
}

/** Nobody has read the config with our schema yet. A Go host sends its whole module, the name of the provider included. */
async function checked(definition: ProviderDefinition, config: Json, from: OptionsOrigin | undefined): Promise<Json> {
  const schema = await definition.infraOptions?.(from);
  if (!schema) return config;
  const { provider: _, ...rest } = config as Attributes;
  const whole = await schema.safeParseAsync(config);
  const result = whole.success ? whole : await schema.safeParseAsync(rest);
  if (result.success) return result.data as Json;
  const problems = result.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'config'}: ${message}`);
  throw new ErrandError('config/invalid', `opened the provider ${definition.name} with its config: ${problems.join('; ')}`, {
    next: 'Correct the config of the provider.',
  });
}
