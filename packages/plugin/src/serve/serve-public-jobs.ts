import type { Server } from '@grpc/grpc-js';
import type { Provider, Runner } from '@errand/contract';
import { envSecret } from '../ephemeral/env-secret.ts';
import { serveJobRunner } from '../ephemeral/serve-job-runner.ts';
import { serveRegistry } from '../iac/registry.ts';

/** The jobs of a provider without resources, for a host that speaks only the public contract. */
export function servePublicJobs(
  server: Server,
  provider: Pick<Provider, 'host'> & { readonly runner: Runner },
  manifest: { readonly name: string; readonly version: string },
): void {
  const { services } = serveJobRunner(server, provider, {
    name: manifest.name,
    secret: (reference) => envSecret(process.env, reference),
  });
  serveRegistry(server, manifest, services);
}
