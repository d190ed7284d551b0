// A process of its own that opens the provider and starts one job, to be killed by the test:
// opener.ts <home> <place key> <job key> <script>
import { localProvider } from '@errand/provider-local';

const [home = '', placeKey = '', jobKey = '', script = ''] = process.argv.slice(2);
const ask = { signal: new AbortController().signal, log: () => undefined };
const { host, runner } = await localProvider.open({ home, signal: ask.signal });
if (!host || !runner) throw new Error('a facet is missing');

console.log('opened');
const expiresAt = Date.now() + 600_000;
const place = await host.acquire(
  { owner: 'test', expiresAt, resources: {}, labels: {}, options: {} },
  { ...ask, key: placeKey, epoch: 1 },
);
console.log('acquired');
const spec = {
  owner: 'test',
  place,
  command: { script },
  env: {},
  secretEnv: {},
  resources: {},
  grace: 1_000,
  labels: {},
  options: {},
};
const handle = await runner.start(spec, { ...ask, key: jobKey, epoch: 1, secret: async () => '' });
console.log('started');
const exit = await runner.wait({ key: jobKey, handle }, ask);
console.log(`ended ${JSON.stringify(exit)}`);
