import type { Action } from '../command.ts';
import { catchInterrupts } from './interrupts.ts';

/** The background half of `run --detach`. Asked to end, it lets go of the run so that the next watcher need not wait. */
export const attendCommand: Action = async (context, args) => {
  using interrupts = catchInterrupts(context);
  await using runtime = await context.open({ recover: false });
  const job = await runtime.attach(args.positional(0) ?? '');
  const interrupted = new Promise<void>((resolve) => interrupts.listen(() => resolve()));
  try {
    await Promise.race([job.closed, interrupted]);
  } finally {
    await job.detach();
  }
  return 0;
};
