/** Gives what comes from any of the sources as it comes; ends with the last, fails with the first that fails. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const ask = async (iterator: AsyncIterator<T>) => ({ iterator, result: await iterator.next() });
  const pending = new Map(iterators.map((iterator) => [iterator, ask(iterator)]));
  try {
    while (pending.size > 0) {
      const { iterator, result } = await Promise.race(pending.values());
      if (result.done) pending.delete(iterator);
      else {
        pending.set(iterator, ask(iterator));
        yield result.value;
      }
    }
  } finally {
    for (const rest of pending.values()) rest.catch(() => undefined);
    for (const iterator of pending.keys()) void iterator.return?.()?.then(undefined, () => undefined);
  }
}
