// The promises of every runner and host, through an agent process on this machine: TLS, a token, the local provider.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { connectionOf } from '../../src/connection.ts';
import { connectFar } from '../../src/far.ts';
import { makeBed, signal } from '../bed.ts';

const bed = makeBed();
const config = bed.write('agent.yaml', 'policy: { concurrency: 64 }\n');
const agent = await bed.start({ args: ['--config', config] });
const options = bed.options(agent);

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
});

/** The suite asks for what this agent can, not for what can be said of any. */
async function open(home: string) {
  const connection = connectionOf(options);
  if (!connection) throw new Error('the options name no agent');
  await using far = await connectFar({ home, signal, secret: async () => bed.token }, connection);
  return { ...(await bed.open(home)), capabilities: far.capabilities };
}

runnerConformance('agent on local', { open, options });
hostConformance('agent on local', { open, options });
