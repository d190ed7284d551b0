// The local provider's jobs as a plugin that knows nothing but the public contract: RunJob, JobStatus, JobLogs, CancelJob.
import { mkdir } from 'node:fs/promises';
import { localProvider } from '@errand/provider-local';
import { serveJobRunner } from '../../src/ephemeral/serve-job-runner.ts';
import { variables } from '../../src/handshake/cookie.ts';
import { serveRegistry } from '../../src/iac/registry.ts';
import { servePlugin } from '../../src/serve/serve-plugin.ts';

await servePlugin({
  name: 'public-jobs',
  open: async (server) => {
    const home = process.env[variables.home] ?? '';
    await mkdir(home, { recursive: true });
    const provider = await localProvider.open({ home, signal: new AbortController().signal });
    const { runner } = provider;
    if (!runner) throw new Error('the runner is missing');
    const secret = async () => process.env['PLUGIN_SECRET'] ?? '';
    const jobs = serveJobRunner(server, { ...provider, runner }, { name: 'public-jobs', secret });
    serveRegistry(server, { name: 'public-jobs', version: '1.0.0' }, jobs.services);
    return provider;
  },
});
