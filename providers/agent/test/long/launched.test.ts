// The same suites once more, with the provider in a program of its own that our host launches.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { launched } from '../../../../packages/plugin/test/launched.ts';
import { makeBed, withItsCapabilities } from '../bed.ts';

const bed = makeBed();
const config = bed.write('agent.yaml', 'policy: { concurrency: 64 }\n');
const agent = await bed.start({
  args: ['--bare', '--no-token', '--listen', `unix:${bed.path('agent.sock')}`, '--config', config],
});
const options = { address: agent.address, tls: false };
const plugin = await launched('agent');

afterAll(async () => {
  await plugin[Symbol.asyncDispose]();
  await agent[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
});

const open = async (home: string) => withItsCapabilities(bed, options, home, await plugin.open(home));

runnerConformance('agent on local, launched as a plugin', { open, options });
hostConformance('agent on local, launched as a plugin', { open, options });
