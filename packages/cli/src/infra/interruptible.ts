import { catchInterrupts } from '../commands/interrupts.ts';
import type { Context } from '../context.ts';
import { CANCELLED } from '../exit-status.ts';

/**
 * For work that only looks, or that a journal makes safe to break off: the first Ctrl-C aborts the signal, the second
 * leaves. Undefined when it was broken off; what the work throws because of that is no failure of its own.
 */
export async function interruptible<T>(
  context: Context,
  work: (signal: AbortSignal) => Promise<T>,
  said = 'interrupted; nothing was changed',
): Promise<T | undefined> {
  const abort = new AbortController();
  using interrupts = catchInterrupts(context);
  interrupts.listen((count) => {
    if (count === 1) abort.abort();
    else void context.leave(CANCELLED);
  });
  try {
    return await work(abort.signal);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    await context.say(said);
    return undefined;
  }
}
