import { ErrandError } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { runDocument } from '../render/document.ts';
import { runTable } from '../render/run.ts';
import { pairs } from './request.ts';

export const runsCommand: Action = async (context, args) => {
  const labels = pairs('label', args.list('label'));
  const limit = limitOf(args.text('limit'));
  await using runtime = await context.open({ recover: false });
  const runs = await runtime.runs({
    limit,
    ...(args.flag('open') ? { open: true } : {}),
    ...(args.list('label').length > 0 ? { labels } : {}),
  });
  if (context.json) {
    for (const run of runs) await printJson(context, runDocument(run));
  } else if (runs.length === 0) {
    await context.say('no runs');
  } else {
    for (const line of runTable(runs, context.style, context.now(), context.out.columns)) await printLine(context, line);
  }
  return 0;
};

function limitOf(text: string | undefined): number {
  if (text === undefined) return 50;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new ErrandError('usage/invalid', `--limit takes a whole number above 0, but got ${JSON.stringify(text)}`, {
    next: 'Write, for example, --limit 20.',
  });
}
