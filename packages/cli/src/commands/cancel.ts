import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { runDocument } from '../render/document.ts';
import { outcomeText } from '../render/run.ts';
import { visible } from '../render/text.ts';

export const cancelCommand: Action = async (context, args) => {
  await using runtime = await context.open();
  const { run, alreadyFinished } = await runtime.cancel(args.positional(0) ?? '', { force: args.flag('force') });
  if (context.json) await printJson(context, { run: runDocument(run), outcome: run.outcome, alreadyFinished });
  if (run.status !== 'closed') {
    await context.warn(`run ${run.id} is not confirmed to be gone: ${visible(run.problem ?? `it is ${run.status}`)}`);
    await context.warn(`  next: errand wait ${run.id} tells when it is gone; errand cancel --force ${run.id} does not ask.`);
    return FAILED;
  }
  if (!context.json) {
    const outcome = run.outcome ? outcomeText(run.outcome) : run.status;
    await printLine(context, alreadyFinished ? `run ${run.id} had finished before: ${outcome}` : `run ${run.id}: ${outcome}`);
  }
  return 0;
};
