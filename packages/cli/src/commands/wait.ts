import type { Action } from '../command.ts';
import { CANCELLED } from '../exit-status.ts';
import { catchInterrupts } from './interrupts.ts';
import { report } from './watch.ts';

export const waitCommand: Action = async (context, args) => {
  using interrupts = catchInterrupts(context);
  await using runtime = await context.open();
  const job = await runtime.attach(args.positional(0) ?? '');
  const interrupted = new Promise<'interrupted'>((resolve) => interrupts.listen(() => resolve('interrupted')));
  try {
    const run = await Promise.race([job.closed, interrupted]);
    if (run !== 'interrupted') return await report(context, runtime, run);
    await context.say(`stopped waiting; run ${job.id} goes on`);
    return CANCELLED;
  } finally {
    // Disposing the job would cancel a run that is still going.
    await job.detach();
  }
};
