import { isErrandError } from '@errand/contract';
import type { Diagnostic } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import type { Arguments } from '../parse.ts';
import { diagnosticLines } from '../render/diagnostic.ts';
import { plural } from '../render/text.ts';
import { withStack } from './stack.ts';

/** Reads what is written and calls no provider. */
export const validateCommand: Action = async (context, args) => {
  const { resources, diagnostics } = await check(context, args);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  if (context.json) await printJson(context, { resources, diagnostics });
  else {
    for (const line of diagnostics.flatMap(diagnosticLines)) await printLine(context, line);
    const problems = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')].filter(
      (part) => part !== false,
    );
    const found = resources === undefined ? '' : `${plural(resources, 'resource')}, `;
    await printLine(context, `infra: ${found}${problems.join(', ') || 'no problems'}`);
  }
  return errors > 0 ? FAILED : 0;
};

async function check(
  context: Context,
  args: Arguments,
): Promise<{ readonly resources?: number; readonly diagnostics: readonly Diagnostic[] }> {
  try {
    return await withStack(context, args, async (stack) => ({
      resources: stack.stack.resources.size,
      diagnostics: await stack.validate(),
    }));
  } catch (error) {
    if (!isErrandError(error) || error.diagnostics.length === 0) throw error;
    return { diagnostics: error.diagnostics };
  }
}
