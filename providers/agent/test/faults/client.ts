// A client of its own that starts one job, to be killed by the test: client.ts <home> <options> <token>
import type { Json } from '@errand/contract';
import { agentProvider } from '@errand/provider-agent';
import { start } from '../jobs.ts';

const [home = '', options = '{}', token = ''] = process.argv.slice(2);
const provider = await agentProvider.open({ home, signal: new AbortController().signal, secret: async () => token });
const job = await start(provider, JSON.parse(options) as Json, 'echo begun; sleep 2; echo done; exit 6');
console.log(JSON.stringify(job));
setInterval(() => undefined, 1_000);
