/** What was learned a moment ago, for whoever needs it next: each is given once, and not when it is old. */
export interface KeptOnce<T> {
  put(key: string, value: T): void;
  take(key: string): T | undefined;
}

const most = 1_000;

export function createKeptOnce<T>(freshFor: number): KeptOnce<T> {
  const kept = new Map<string, { readonly at: number; readonly value: T }>();
  return {
    put(key, value) {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= most) kept.delete(oldest);
      kept.set(key, { at: Date.now(), value });
    },
    take(key) {
      const found = kept.get(key);
      kept.delete(key);
      return found && Date.now() - found.at < freshFor ? found.value : undefined;
    },
  };
}
