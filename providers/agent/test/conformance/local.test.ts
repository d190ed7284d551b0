// The promises of every runner and host, through an agent process on this machine: TLS, a token, the local provider.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { makeBed, withItsCapabilities } from '../bed.ts';

const bed = makeBed();
const config = bed.write('agent.yaml', 'policy: { concurrency: 64 }\n');
const agent = await bed.start({ args: ['--config', config] });
const options = bed.options(agent);

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
});

const open = async (home: string) => withItsCapabilities(bed, options, home, await bed.open(home));

runnerConformance('agent on local', { open, options });
hostConformance('agent on local', { open, options });
