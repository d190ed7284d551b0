import { pause } from './parts.ts';

/** Who polls sleeps; what another call of ours learned meanwhile wakes it. */
export interface Bells {
  ring(name: string): void;
  /** Resolves after `ms`, or true as soon as the bell is rung. Rejects with the signal's reason. */
  wait(name: string, ms: number, signal: AbortSignal): Promise<boolean>;
}

export function createBells(): Bells {
  const waiting = new Map<string, Set<() => void>>();
  return {
    ring(name) {
      for (const wake of waiting.get(name) ?? []) wake();
    },
    async wait(name, ms, signal) {
      const over = new AbortController();
      let rung = false;
      const wake = () => {
        rung = true;
        over.abort();
      };
      const others = waiting.get(name) ?? new Set();
      waiting.set(name, others.add(wake));
      try {
        await pause(ms, AbortSignal.any([signal, over.signal]));
      } catch (error) {
        if (!rung) throw error;
      } finally {
        others.delete(wake);
        if (others.size === 0 && waiting.get(name) === others) waiting.delete(name);
      }
      return rung;
    },
  };
}
