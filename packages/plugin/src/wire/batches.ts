/**
 * Gathers what is there without waiting for what is not: an item that comes alone is handed on at once, and a source
 * that runs ahead is handed on in few big batches. What came before an error is handed on before the error.
 */
export async function* batched<T>(
  source: AsyncIterable<T>,
  limit: number,
  weigh: (item: T) => number,
): AsyncGenerator<readonly T[], void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<T>> | undefined;
  try {
    for (;;) {
      const first = await (pending ?? iterator.next());
      pending = undefined;
      if (first.done) return;
      const items = [first.value];
      let weight = weigh(first.value);
      while (weight < limit) {
        pending = iterator.next();
        const soon = await Promise.race([pending.catch(() => undefined), nextTurn()]);
        if (!soon) break;
        if (soon.done) {
          pending = Promise.resolve(soon);
          break;
        }
        pending = undefined;
        items.push(soon.value);
        weight += weigh(soon.value);
      }
      yield items;
    }
  } finally {
    // One that is still asked for an item would end only after that item.
    if (pending) void iterator.return?.().catch(() => undefined);
    else await iterator.return?.();
  }
}

function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => {
    setImmediate(resolve, undefined);
  });
}
