// Numbers everything that a process does to the outside, so that a test can end the process before or after any of it.
// Returning a promise that never settles is how a simulated process dies; SIGKILL is how a real one does.

export type OnStep = (phase: 'before' | 'after', name: string, n: number) => void | Promise<void>;

export interface Tracer {
  /** One step around `work`. A rejected step counts as done too: its effect may have happened. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** One step for the opening, and one for each item that comes. */
  stream<T>(name: string, open: () => AsyncIterable<T>): AsyncIterable<T>;
  /** Reading changes nothing, so it is a step only for those who want to stop a process there. */
  read<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Steps so far. */
  count(): number;
}

export function createTracer(onStep: OnStep, options: { readonly reads?: boolean } = {}): Tracer {
  let count = 0;

  async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const n = ++count;
    await onStep('before', name, n);
    try {
      return await work();
    } finally {
      await onStep('after', name, n);
    }
  }

  async function* stream<T>(name: string, open: () => AsyncIterable<T>): AsyncIterable<T> {
    const iterator = open()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const item = await step(name, () => iterator.next());
        if (item.done) return;
        yield item.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  return { step, stream, read: options.reads ? step : (_name, work) => work(), count: () => count };
}
