// Docker through the SDK. argv: the SDK's file, a data directory, a directory with errand.yaml, `cold` (a place for each
// run) or `warm` (one lease for all), the command. A round resolves to its milliseconds and to this process's RSS in MB.
import type * as Sdk from 'errand';
import { answerRounds } from '../worker.ts';

const [sdk = '', home = '', config = '', kind = '', ...command] = process.argv.slice(2);
const { createRuntime } = (await import(sdk)) as typeof Sdk;

await using runtime = await createRuntime({ home, config });
await using lease = kind === 'warm' ? await runtime.acquire('box') : undefined;

async function run(): Promise<string> {
  await using job = await (lease ? lease.run({ command }) : runtime.run({ environment: 'box', command }));
  const outcome = await job.exit;
  if (outcome.kind !== 'exited' || outcome.code !== 0) throw new Error(`${job.id}: ${JSON.stringify(outcome)}`);
  return job.id;
}

await answerRounds(kind === 'wide' ? 'memory' : 'total', run);
