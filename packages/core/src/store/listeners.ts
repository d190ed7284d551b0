/** Who wants to hear of writes. */
export interface Listeners {
  readonly size: number;
  /** Gives what removes it; harmless when repeated. */
  add(listener: () => void): () => void;
  /** Calls everybody after the work at hand, never in the middle of it. Several calls in a row count as one. */
  tell(): void;
}

export function createListeners(): Listeners {
  // Keyed by itself, so that one function that listens twice is two listeners.
  const all = new Map<symbol, () => void>();
  let told = false;
  return {
    get size() {
      return all.size;
    },
    add: (listener) => {
      const key = Symbol('listener');
      all.set(key, listener);
      return () => void all.delete(key);
    },
    tell: () => {
      if (told || all.size === 0) return;
      told = true;
      queueMicrotask(() => {
        told = false;
        for (const listener of all.values()) listener();
      });
    },
  };
}
