// A plugin of the public contract. Loaded only for one: its descriptors are many.
import type { Infra, Json, Provider, Runner } from '@errand/contract';
import { checkJobOptions } from '../ephemeral/job-options.ts';
import { jobRunner } from '../ephemeral/job-runner.ts';
import { IaCProviderRunner } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { connectIac } from '../iac/connect.ts';
import type { PluginConnectOptions } from './connect-plugin.ts';
import type { Connection } from './dial.ts';

export interface PublicPlugin extends AsyncDisposable {
  readonly infra: Infra;
  /** Full names of all that it advertises. */
  readonly services: readonly string[];
  readonly served: { readonly name: string; readonly version: string };
  /** There when it runs jobs. */
  readonly jobs?: { readonly runner: Runner; readonly check: NonNullable<Provider['check']> };
}

export async function connectPublic(
  options: PluginConnectOptions,
  { address, credentials, options: channel }: Connection,
  signal: AbortSignal,
): Promise<PublicPlugin> {
  const config: Json = options.config ?? {};
  const open = await connectIac({ ...options, config, address, credentials, channel, signal });
  const { infra, services, served, link } = open;
  const check: Provider['check'] = async (request) => checkJobOptions(options.name, request.options);
  return {
    infra,
    served,
    services: [...services].toSorted(),
    ...(services.has(IaCProviderRunner.typeName) && { jobs: { runner: jobRunner(link, services), check } }),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
