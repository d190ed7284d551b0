// The same suites once more, with the provider in a program of its own that our host launches.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { launched } from '../../../../packages/plugin/test/launched.ts';
import { connectionOf } from '../../src/connection.ts';
import { connectFar } from '../../src/far.ts';
import { makeBed, signal } from '../bed.ts';

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

/** The suite asks for what this agent can, not for what can be said of any. */
async function open(home: string) {
  const connection = connectionOf(options);
  if (!connection) throw new Error('the options name no agent');
  await using far = await connectFar({ home, signal, secret: async () => bed.token }, connection);
  return { ...(await plugin.open(home)), capabilities: far.capabilities };
}

runnerConformance('agent on local, launched as a plugin', { open, options });
hostConformance('agent on local, launched as a plugin', { open, options });
