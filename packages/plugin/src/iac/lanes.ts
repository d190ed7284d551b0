/** The results in the order of the items, with so many at work at once. The first error is the whole's. */
export async function inLanes<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let at = 0;
  let failed = false;
  const lane = async () => {
    while (at < items.length && !failed) {
      const mine = at++;
      try {
        results[mine] = await work(items[mine] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}

export async function gathered<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
