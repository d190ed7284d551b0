import { problemsOf } from '@errand/core';
import type { CheckedStack } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { diagnosticLines } from '../render/diagnostic.ts';
import { plural, visible } from '../render/text.ts';

/** Reads what is written, of every stack or of the one of `--env`, and opens the providers; asks no platform. */
export const validateCommand: Action = async (context, args) => {
  await using runtime = await context.open({ recover: false });
  const env = args.text('env');
  const stacks = await runtime.checkInfra(env === undefined ? {} : { env });
  const diagnostics = problemsOf(stacks);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  if (context.json) {
    const counted = stacks.map(({ name, stack }) => ({ name, ...(stack && { resources: stack.resources.size }) }));
    await printJson(context, { stacks: counted, diagnostics });
  } else {
    for (const line of diagnostics.flatMap(diagnosticLines)) await printLine(context, line);
    const problems = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')].filter(
      (part) => part !== false,
    );
    const found = stacks.flatMap((one) => sizeOf(one, stacks.length > 1));
    await printLine(context, `infra: ${[...found, problems.join(', ') || 'no problems'].join(', ')}`);
  }
  return errors > 0 ? FAILED : 0;
};

function sizeOf({ name, stack }: CheckedStack, named: boolean): string[] {
  return stack ? [`${named ? `${visible(name)} ` : ''}${plural(stack.resources.size, 'resource')}`] : [];
}
