import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { CANCELLED } from '../exit-status.ts';
import { visible } from '../render/text.ts';
import { interruptible } from './interruptible.ts';
import { withStack } from './stack.ts';

/** Records what is there now; resources that are gone leave the record, so that the next apply makes them again. */
export const refreshCommand: Action = async (context, args) => {
  const result = await interruptible(context, (signal) => withStack(context, args, (stack) => stack.refresh({ signal })));
  if (result === undefined) return CANCELLED;
  if (context.json) {
    await printJson(context, result);
    return 0;
  }
  for (const name of result.refreshed) await printLine(context, `~ ${visible(name)} is recorded as it is now`);
  for (const name of result.ghosts) await printLine(context, `- ${visible(name)} is gone`);
  if (result.refreshed.length + result.ghosts.length === 0) await printLine(context, 'Nothing changed outside Errand.');
  return 0;
};
