// Carries a plan out in front of a person or a script: progress while it goes on, the whole truth at the end.
import type { ApplyOptions, ApplyResult, InfraStack, Plan } from '@errand/core';
import { catchInterrupts } from '../commands/interrupts.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { CANCELLED, STEP_FAILED } from '../exit-status.ts';
import { resultDocument } from '../render/infra/document.ts';
import { failureLines, resultLine } from '../render/infra/result.ts';
import { watchProgress } from './progress.ts';
import type { Progress } from './progress.ts';

export async function execute(
  context: Context,
  stack: InfraStack,
  plan: Plan,
  options: Omit<ApplyOptions, 'on' | 'stop' | 'abort'>,
): Promise<number> {
  const began = context.now();
  const stop = new AbortController();
  const abort = new AbortController();
  using interrupts = catchInterrupts(context);
  const progress = watchProgress(context, plan);
  interrupts.listen((count) => void interrupted(context, progress.tell, { count, stop, abort }));
  let result: ApplyResult;
  try {
    result = await stack.apply(plan, { ...options, on: progress.on, stop: stop.signal, abort: abort.signal });
  } finally {
    await progress.close();
  }
  return report(context, plan, result, context.now() - began);
}

/** The journal was written before each call: whatever is left open here, the next command that writes finishes it. */
async function interrupted(
  context: Context,
  tell: Progress['tell'],
  { count, stop, abort }: { readonly count: number; readonly stop: AbortController; readonly abort: AbortController },
): Promise<void> {
  if (count === 1) {
    stop.abort();
    tell('finishing what is in flight and starting nothing new; once more to abort the calls');
  } else if (count === 2) {
    abort.abort();
    tell('aborting the calls; the journal keeps what they were about; once more to leave at once');
  } else {
    await context.warn('left before the calls ended');
    await context.warn('  next: errand infra apply asks the providers what became of them and goes on from there.');
    await context.leave(CANCELLED);
  }
}

async function report(context: Context, plan: Plan, result: ApplyResult, ms: number): Promise<number> {
  const failed = result.failures.length > 0 || result.outcomes.some((one) => one.status === 'failed');
  const status = result.interrupted ? CANCELLED : failed ? STEP_FAILED : 0;
  if (context.json) await printJson(context, resultDocument(result, status));
  else await printLine(context, context.style.bold(resultLine(plan, result, ms)));
  for (const line of failureLines(plan, result)) await context.warn(line);
  if (result.interrupted) await context.warn('interrupted: what was done is recorded');
  if (status !== 0) {
    const again = plan.purpose === 'destroy' ? 'errand infra destroy' : 'errand infra apply';
    await context.warn(`  next: ${failed ? 'Mend the cause, then ' : ''}${again} goes on with what is left.`);
  }
  return status;
}
