import type { Context } from '../context.ts';

/** Counts Ctrl-C and SIGTERM from the moment it is made; those that came before anybody listened are not lost. */
export interface Interrupts extends Disposable {
  /** Calls back with 1, 2, 3… for each one, including the earlier ones. */
  listen(listener: (count: number) => void): void;
}

export function catchInterrupts(context: Pick<Context, 'onInterrupt'>): Interrupts {
  let count = 0;
  let listener: ((count: number) => void) | undefined;
  const registration = context.onInterrupt(() => {
    count += 1;
    listener?.(count);
  });
  return {
    listen(next) {
      listener = next;
      for (let past = 1; past <= count; past++) next(past);
    },
    [Symbol.dispose]: () => registration[Symbol.dispose](),
  };
}
