import { ErrandError } from '@errand/contract';
import type { Context } from '../context.ts';
import type { Arguments } from '../parse.ts';

/** Without a terminal nobody is asked, and nothing is looked at first: a script that forgot `--yes` learns it at once. */
export function needYes(context: Context, args: Arguments, command: string): void {
  if (args.flag('yes') || (context.ask !== undefined && !context.json)) return;
  const why = context.json ? 'with --json nobody is asked' : 'there is no terminal to ask on';
  const save = command === 'errand infra apply' ? '; or save a plan with errand infra plan --out FILE and apply that' : '';
  throw new ErrandError('usage/invalid', `${command} needs a yes, and ${why}`, {
    next: `Write ${command} --yes${save}.`,
  });
}

/** Only `yes` is a yes. */
export async function confirmed(context: Context, question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await context.ask?.(`${question} Only yes is taken as a yes: `, signal);
  if (answer?.trim() === 'yes') return true;
  await context.say('nothing was changed');
  return false;
}
