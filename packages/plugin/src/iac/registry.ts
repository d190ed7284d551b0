// What a plugin serves: it says so itself, and what it does not name is not called.
import type { Server } from '@grpc/grpc-js';
import { ErrandError, isErrandError } from '@errand/contract';
import { ContractKind, ContractMode, PluginService } from '../gen/workflow/plugin/v1/plugin_pb.js';
import { answer } from '../wire/answer.ts';
import { methodDefinition } from '../wire/definition.ts';
import { askFor } from './line.ts';
import type { Line } from './line.ts';

const { getContractRegistry, getManifest } = PluginService.method;

/** Full names of services. */
export async function askServices(line: Line, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const about = { verb: 'name its services', within: line.patience.facts };
  try {
    return await askFor(line, about, getContractRegistry, {}, { signal }, ({ contracts }) => {
      const services = contracts.filter(({ kind }) => kind === ContractKind.SERVICE);
      return new Set(services.map(({ serviceName }) => serviceName));
    });
  } catch (error) {
    if (!isErrandError(error, 'environment/unsupported')) throw error;
    throw new ErrandError(
      'environment/unsupported',
      `asked ${line.link.name} to name its services; it has no contract registry, so it advertises none of a provider`,
      { next: 'Name a provider plugin, or install a version of this one that serves GetContractRegistry.', cause: error },
    );
  }
}

export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
}

/** The rest of PluginService is for modules and steps; leaving it out is how a plugin says that it has none. */
export function serveRegistry(server: Server, manifest: PluginManifest, services: readonly string[]): void {
  const contracts = services.toSorted().map((serviceName) => ({
    kind: ContractKind.SERVICE,
    serviceName,
    mode: ContractMode.STRICT_PROTO,
  }));
  const { name, version, description = '' } = manifest;
  server.addService(
    { getContractRegistry: methodDefinition(getContractRegistry), getManifest: methodDefinition(getManifest) },
    {
      getContractRegistry: answer({}, getContractRegistry, async () => ({ contracts })),
      getManifest: answer({}, getManifest, async () => ({ name, version, description, author: name })),
    },
  );
}
