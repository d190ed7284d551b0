import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { visible } from '../render/text.ts';

export const sweepCommand: Action = async (context, args) => {
  await using runtime = await context.open({ recover: false });
  const { lines } = await runtime.sweep({ dryRun: args.flag('dry-run') });
  for (const line of lines) {
    const { subject, id, did, because } = line;
    await (context.json
      ? printJson(context, { subject, id, did, because })
      : printLine(context, `${did.replace('-', ' ')} ${subject} ${id}: ${visible(because)}`));
  }
  if (lines.length === 0) await context.say('nothing to sweep');
  return lines.some((line) => line.did === 'failed') ? FAILED : 0;
};
