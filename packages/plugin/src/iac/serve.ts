// A provider of ours for hosts of the public contract.
import type { Server } from '@grpc/grpc-js';
import type { Json, Provider } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import { IaCProviderRequired, ResourceDriver } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import type { AnswerOptions } from '../wire/answer.ts';
import { serviceDefinition } from '../wire/definition.ts';
import { serveRegistry } from './registry.ts';
import type { PluginManifest } from './registry.ts';
import { serveDriver } from './serve-driver.ts';
import { serveOwnDriver } from './serve-own-driver.ts';
import { serveRequired } from './serve-required.ts';
import { requirementServices } from './serve-requirements.ts';
import { optionalServices } from './serve-services.ts';
import type { Registration } from './serve-services.ts';
import { stateBackend } from './serve-state-backend.ts';
import { createServed } from './served.ts';

export interface ServeIacOptions extends AnswerOptions, PluginManifest {
  /** Opens the provider with the config that Initialize brings; without it the one at hand takes any config. */
  readonly open?: (config: Json) => Promise<Provider>;
  /** Names of services that were added to the server by others, for the registry. */
  readonly also?: readonly string[];
}

/**
 * Adds exactly the services for which the provider has facets, and the registry that names them. `provider` says what there
 * is before any config has come. Disposing of the result gives back what was opened for a config.
 */
export function serveIac(server: Server, provider: Pick<Provider, 'infra'>, options: ServeIacOptions): AsyncDisposable {
  const { name, version, open, authorize } = options;
  const served = createServed(name, provider, open, { authorize });
  const registrations: readonly Registration[] = [
    [IaCProviderRequired, serveRequired(served, { name, version })],
    [DriverService, serveOwnDriver(served)],
    ...(served.preview.drivers.size > 0 ? ([[ResourceDriver, serveDriver(served)]] as const) : []),
    ...optionalServices(served),
    ...stateBackend(served),
    ...requirementServices(served),
  ];
  for (const [service, implementation] of registrations) server.addService(serviceDefinition(service), implementation);
  serveRegistry(server, options, [...registrations.map(([service]) => service.typeName), ...(options.also ?? [])]);
  return served;
}
