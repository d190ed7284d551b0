import type { Plan } from '@errand/core';
import { diagnosticLines } from '../diagnostic.ts';
import { visible } from '../text.ts';

export type PlanProblem = Plan['diagnostics'][number];

/** With file and line where the config is meant, with resource and field where a provider complains. */
export function problemLines(problem: PlanProblem): string[] {
  if (!('resource' in problem)) return diagnosticLines(problem);
  const where = problem.field === '' ? problem.resource : `${problem.resource}.${problem.field}`;
  return [`${visible(where)}: ${problem.severity}: ${visible(problem.message)} (says ${visible(problem.provider)})`];
}

export function blocking(plan: Plan): readonly PlanProblem[] {
  return plan.diagnostics.filter((one) => one.severity === 'error');
}
