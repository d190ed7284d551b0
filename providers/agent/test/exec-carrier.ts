// A process of its own that carries a call, to be killed by the test: exec-carrier.ts <home> <options>
import type { Json } from '@errand/contract';
import { agentProvider } from '@errand/provider-agent';

const [home = '', options = '{}'] = process.argv.slice(2);
const ask = { signal: new AbortController().signal, log: () => undefined };
const { host, runner } = await agentProvider.open({ home, signal: ask.signal, secret: async () => 'a-token' });
if (!host || !runner) throw new Error('a facet is missing');
const shared = { owner: 'o', resources: {}, labels: {}, options: JSON.parse(options) as Json, image: 'alpine' };
const call = { ...ask, key: 'carried', epoch: 1, secret: async () => '' };
const place = await host.acquire({ ...shared, expiresAt: Date.now() + 60_000 }, call);
const spec = { ...shared, place, command: { script: 'echo begun; sleep 60' }, env: {}, secretEnv: {}, grace: 0 };
const handle = await runner.start(spec, call);
for await (const chunk of runner.logs({ key: call.key, handle }, undefined, ask)) {
  if (chunk.bytes.length > 0) break;
}
console.log(JSON.stringify({ key: call.key, spec, handle }));
setInterval(() => undefined, 1_000);
