/** Who wants to know of appends, by run. */
export interface Listeners {
  watch(run: string, listener: () => void): Disposable;
  tell(run: string): void;
  has(run: string): boolean;
}

export function createListeners(): Listeners {
  const byRun = new Map<string, Set<{ readonly call: () => void }>>();
  return {
    watch: (run, call) => {
      const entry = { call };
      const entries = byRun.get(run) ?? new Set();
      byRun.set(run, entries.add(entry));
      return {
        [Symbol.dispose]: () => {
          entries.delete(entry);
          if (entries.size === 0 && byRun.get(run) === entries) byRun.delete(run);
        },
      };
    },
    has: (run) => byRun.has(run),
    tell: (run) => {
      for (const entry of byRun.get(run) ?? []) entry.call();
    },
  };
}
