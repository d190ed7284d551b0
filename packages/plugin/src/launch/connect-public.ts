// A plugin of the public contract. Loaded only for one: its descriptors are many.
import { Client } from '@grpc/grpc-js';
import { isErrandError } from '@errand/contract';
import type { Infra, Provider, Runner } from '@errand/contract';
import { checkJobOptions } from '../ephemeral/job-options.ts';
import { jobRunner } from '../ephemeral/job-runner.ts';
import { IaCProviderRunner } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { connectIac } from '../iac/connect.ts';
import { defaultPatience } from '../iac/line.ts';
import { askServices } from '../iac/registry.ts';
import { messageLimits } from '../transport/limits.ts';
import type { ConnectPluginOptions } from './connect-plugin.ts';

export const runnerService = IaCProviderRunner.typeName;

export interface PublicPlugin extends AsyncDisposable {
  readonly infra: Infra;
  /** Full names of all that it advertises. */
  readonly services: readonly string[];
  readonly served: { readonly name: string; readonly version: string };
  /** There when it runs jobs. */
  readonly jobs?: { readonly runner: Runner; readonly check: NonNullable<Provider['check']> };
}

/** What it advertises; nothing when it has no registry. Asking changes nothing, where connecting brings it its config. */
export async function publicServices({
  name,
  address,
  credentials,
  channel,
  signal,
}: ConnectPluginOptions): Promise<readonly string[]> {
  const client = new Client(address, credentials, { ...messageLimits, ...channel });
  const line = { link: { client, name, metadata: undefined }, patience: defaultPatience, declares: () => false };
  try {
    return [...(await askServices(line, signal))].toSorted();
  } catch (error) {
    if (isErrandError(error, 'environment/unsupported')) return [];
    throw error;
  } finally {
    client.close();
  }
}

export async function connectPublic({ config = {}, ...options }: ConnectPluginOptions): Promise<PublicPlugin> {
  const open = await connectIac({ ...options, config });
  const { infra, services, served, link } = open;
  const check: Provider['check'] = async (request) => checkJobOptions(options.name, request.options);
  return {
    infra,
    served,
    services: [...services].toSorted(),
    ...(services.has(runnerService) && { jobs: { runner: jobRunner(link, services), check } }),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
