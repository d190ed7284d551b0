import type { Server } from '@grpc/grpc-js';
import type { Json, Provider } from '@errand/contract';
import { HostService } from '../gen/errand/v1/host_pb.js';
import { ProviderService } from '../gen/errand/v1/provider_pb.js';
import { RunnerService } from '../gen/errand/v1/runner_pb.js';
import { answer } from './answer.ts';
import type { AnswerOptions } from './answer.ts';
import { sendCapabilities } from './capabilities.ts';
import { serviceDefinition } from './definition.ts';
import { sendDiagnostic } from './diagnostics.ts';
import { jsonBytes, jsonValue } from './json.ts';
import { serveHost } from './serve-host.ts';
import { serveRunner } from './serve-runner.ts';
import { optional, readResources } from './values.ts';

export interface ServeOptions extends AnswerOptions {
  readonly name: string;
  readonly version: string;
  /** The SecretService is served beside it, and is to be listened to. */
  readonly asksForSecrets?: boolean;
  /** JSON Schema of the options of an environment. */
  readonly optionsSchema?: Json;
}

const methods = ProviderService.method;

/**
 * Adds the services of `errand.v1` to a server: one per facet that the provider has. The provider stays the caller's:
 * it is not disposed here, and jobs go on when the server ends.
 */
export function serveProvider(server: Server, provider: Provider, options: ServeOptions): void {
  const { host, runner } = provider;
  server.addService(serviceDefinition(ProviderService), {
    describe: answer(options, methods.describe, async () => ({
      name: options.name,
      version: options.version,
      capabilities: sendCapabilities(provider.capabilities),
      facets: [
        ...(['host', 'runner', 'check', 'warm'] as const).filter((facet) => provider[facet] !== undefined),
        ...(options.asksForSecrets ? ['secrets'] : []),
      ],
      ...(options.optionsSchema !== undefined && { optionsSchemaJson: jsonBytes(options.optionsSchema) }),
    })),
    check: answer(options, methods.check, async ({ image, resources, optionsJson }, ask) => {
      const request = { resources: readResources(resources), options: jsonValue(optionsJson, 'the options') };
      const diagnostics = await provider.check?.({ ...request, ...optional({ image }) }, ask);
      return { diagnostics: (diagnostics ?? []).map(sendDiagnostic) };
    }),
    warm: answer(options, methods.warm, async () => {
      provider.warm?.();
      return {};
    }),
  });
  if (host) server.addService(serviceDefinition(HostService), serveHost(host, options));
  if (runner) server.addService(serviceDefinition(RunnerService), serveRunner(runner, options));
}
