// Uses the SDK as its readers will; `npm run types` checks it and sdk.test.ts runs it.
import { createRuntime } from 'errand';
import type { Outcome, Run } from 'errand';

await using runtime = await createRuntime({ recover: false });
await using lease = await runtime.acquire('local', { ttl: '5m' });
await using job = await lease.run({ script: 'echo hello; echo problem >&2; exit 3', labels: { from: 'sdk' } });

let output = '';
for await (const entry of job.logs({ stream: 'stdout' })) output += new TextDecoder().decode(entry.bytes);
const outcome: Outcome = await job.exit;
const run: Run = await job.closed;
// @ts-expect-error -- an exit code is there only once the kind says so
void outcome.code;
if (outcome.kind === 'exited') console.log(JSON.stringify({ output, code: outcome.code, status: run.status, lease: lease.id }));
