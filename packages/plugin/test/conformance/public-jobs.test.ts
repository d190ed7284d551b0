// What every runner promises, on the public contract's Runner and JobCanceler: served by us on one side, used on the other.
import { localProvider } from '@errand/provider-local';
import { runnerConformance } from '@errand/testkit';
import { asPublicJobs } from '../jobs.ts';

runnerConformance('local, as jobs of the public contract', {
  open: async (home) =>
    asPublicJobs(await localProvider.open({ home, signal: new AbortController().signal }), {
      secret: async () => 'correct-horse-battery-staple',
      // The contract does not promise them; this plugin does them.
      capabilities: { liveLogs: true, streamSplit: true },
    }),
  skips: { 'find lists the jobs of one owner': 'the public contract has no call that lists jobs' },
});
