// The same through the SDK. argv: the SDK's file, a data directory, what to measure, the command.
import type * as Sdk from 'errand';
import { answerRounds } from '../worker.ts';

const [sdk = '', home = '', measure = '', ...command] = process.argv.slice(2);
const { createRuntime } = (await import(sdk)) as typeof Sdk;

await using runtime = await createRuntime({ home });

async function run(): Promise<string> {
  await using job = await runtime.run({ command });
  const outcome = await job.exit;
  if (outcome.kind !== 'exited' || outcome.code !== 0) throw new Error(`${job.id}: ${JSON.stringify(outcome)}`);
  if (measure !== 'starts') return '';
  const chunks: Uint8Array[] = [];
  for await (const entry of job.logs()) chunks.push(entry.bytes);
  return Buffer.concat(chunks).toString();
}

await answerRounds(measure, run);
