// The process that dies. Plays the scenario of ERRAND_CRASH_PLAN and kills itself at the step named there; a plan
// without one is played to its end, and the steps are printed as a JSON array.
import { join } from 'node:path';
import { createTracer } from '../faults/tracer.ts';
import { openPlanProvider, optionsOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { play } from './scenarios.ts';
import { wire } from './wire.ts';

const plan = JSON.parse(process.env['ERRAND_CRASH_PLAN'] ?? '') as Plan;
const steps: string[] = [];

const tracer = createTracer((phase, name, n) => {
  if (phase === 'before') steps[n - 1] = name;
  if (plan.die?.step !== n || plan.die.phase !== phase) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment; not one instruction of the scenario runs in it.
  for (;;);
});

using provider = await openPlanProvider(plan);
await using wired = await wire({
  home: join(plan.directory, 'home'),
  definition: provider.definition,
  options: optionsOf(plan),
  tracer,
  recover: false,
  ...(plan.claimFor !== undefined && { claimFor: plan.claimFor }),
});
await play(wired.runtime, plan);
process.stdout.write(JSON.stringify(steps));
