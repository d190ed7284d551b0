import { ErrandError } from '@errand/contract';
import type { InfraStack, Plan } from '@errand/core';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { blocking } from '../render/infra/diagnostic.ts';
import { planDocument } from '../render/infra/document.ts';
import { hasChanges, planLines } from '../render/infra/plan.ts';
import { plural } from '../render/text.ts';

/** Tells whether the plan would change anything. `document` is what `--json` prints of it. */
export async function showPlan(
  context: Context,
  stack: InfraStack,
  plan: Plan,
  document: (plan: ReturnType<typeof planDocument>) => unknown,
): Promise<boolean> {
  const recorded = await stack.outputs();
  if (context.json) await printJson(context, document(planDocument(plan)));
  else await printLine(context, planLines(plan, recorded, context.style).join('\n'));
  return hasChanges(plan, recorded);
}

export function refuseBlocked(plan: Plan): void {
  const problems = blocking(plan);
  if (problems.length === 0) return;
  throw new ErrandError('infra/invalid', `the plan has ${plural(problems.length, 'error')} and cannot be applied`, {
    next: 'Mend what the errors above name and plan again; nothing was changed.',
  });
}
