// The public Runner between two ends of ours in this process: a provider behind it, and a runner in front of it.
import { Client, credentials } from '@grpc/grpc-js';
import type { Server } from '@grpc/grpc-js';
import type { Capabilities, Provider, Runner } from '@errand/contract';
import { jobCapabilities } from '../src/ephemeral/capabilities.ts';
import { jobRunner } from '../src/ephemeral/job-runner.ts';
import type { Patience } from '../src/ephemeral/parts.ts';
import { serveJobRunner } from '../src/ephemeral/serve-job-runner.ts';
import type { ServeJobsOptions } from '../src/ephemeral/serve-job-runner.ts';
import { listen } from './served.ts';

/** A platform that is slow to know its own jobs is waited for; here nothing is slow. */
export const hasty: Partial<Patience> = { unknown: 300, answer: 5_000 };

export interface JobsOptions extends Partial<ServeJobsOptions> {
  readonly patience?: Partial<Patience>;
  readonly capabilities?: Partial<Capabilities>;
}

/** A runner over whatever `add` puts behind the socket; it gives the names of what it added. */
export async function throughJobs(
  add: (server: Server) => readonly string[],
  { patience = hasty, capabilities }: JobsOptions = {},
): Promise<Provider & { readonly runner: Runner }> {
  let services: readonly string[] = [];
  const listening = await listen('unix', (server) => {
    services = add(server);
  });
  const client = new Client(listening.address, credentials.createInsecure());
  const link = { client, name: 'tested', metadata: undefined };
  return {
    capabilities: { ...jobCapabilities, ...capabilities },
    runner: jobRunner(link, new Set(services), patience),
    async [Symbol.asyncDispose]() {
      client.close();
      await listening[Symbol.asyncDispose]();
    },
  };
}

/** The provider is disposed with what stands before it. */
export async function asPublicJobs(
  provider: Provider,
  options: JobsOptions = {},
): Promise<Provider & { readonly runner: Runner }> {
  const { runner } = provider;
  if (!runner) throw new Error('the provider has no runner');
  let serving: Disposable | undefined;
  const opened = await throughJobs((server) => {
    const added = serveJobRunner(server, { ...provider, runner }, { name: 'tested', ...options });
    serving = added;
    return added.services;
  }, options);
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      serving?.[Symbol.dispose]();
      await opened[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
