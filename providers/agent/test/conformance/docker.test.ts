// The same promises through an agent that stands on a Docker engine.
import { afterAll } from 'vitest';
import { hostConformance, runnerConformance } from '@errand/testkit';
import { findBed, podmanSkips } from '../../../docker/test/bed.ts';
import { connectionOf } from '../../src/connection.ts';
import { connectFar } from '../../src/far.ts';
import { makeBed, signal } from '../bed.ts';

const engine = await findBed();
const bed = makeBed();
const config = bed.write('agent.yaml', 'provider: docker\npolicy: { concurrency: 64, profiles: [permissive] }\n');
const agent = typeof engine === 'string' ? undefined : await bed.start({ args: ['--config', config] });
const options = bed.options(agent ?? { address: '127.0.0.1:1' }, { options: { network: 'none' } });

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
});

async function open(home: string) {
  const connection = connectionOf(options);
  if (!connection) throw new Error('the options name no agent');
  await using far = await connectFar({ home, signal, secret: async () => bed.token }, connection);
  return { ...(await bed.open(home)), capabilities: far.capabilities };
}

const subject = {
  open,
  options,
  ...(typeof engine === 'string' ? { missing: engine } : { image: engine.image }),
};

runnerConformance('agent on docker', {
  ...subject,
  ...(typeof engine !== 'string' && engine.podman ? { skips: podmanSkips } : {}),
});
hostConformance('agent on docker', subject);
