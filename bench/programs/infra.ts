// argv: `plan` or `apply`, a directory with errand.yaml. One command of a person, from the start of the process to its
// end; prints how many actions there were and the most memory that was used, in MB.
import { createRuntime } from '@errand/core';
import { trivialProvider } from './trivial.ts';

const [command = '', directory = ''] = process.argv.slice(2);
await using runtime = await createRuntime({ providers: [trivialProvider], home: `${directory}/home`, config: directory });
await using stack = await runtime.infra();
const plan = await stack.plan();
if (command === 'apply') {
  const { outcomes } = await stack.apply(plan);
  const failed = outcomes.filter(({ status }) => status !== 'done');
  if (failed.length > 0) throw new Error(`${failed.length} steps failed: ${JSON.stringify(failed[0])}`);
}
process.stdout.write(`${plan.actions.length} ${process.resourceUsage().maxRSS / 1e3}\n`);
