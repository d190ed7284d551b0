import type { Diagnostic } from '@errand/contract';
import type { PlannedOutput } from '../../model/infra/plan.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { resolveConfig } from '../references/resolve.ts';
import { problem } from './check.ts';
import type { Views } from './views.ts';

/** What is sensitive stands as it was written, like what is unknown. */
export function planOutputs(stack: Stack, views: Views, diagnostics: Diagnostic[]): Readonly<Record<string, PlannedOutput>> {
  const planned: Record<string, PlannedOutput> = {};
  for (const [name, output] of stack.outputs) {
    const { config, unknown, sensitive, problems } = resolveConfig({ value: output.value }, views.lookup);
    for (const { message, hint } of problems) diagnostics.push(problem(output.origin, `outputs.${name}: ${message}`, hint));
    const hidden = output.sensitive || sensitive.length > 0;
    const late = unknown.length > 0;
    planned[name] = { value: late || hidden ? output.value : config.value, unknown: late, sensitive: hidden };
  }
  return planned;
}
