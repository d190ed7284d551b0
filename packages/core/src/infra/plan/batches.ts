import type { Ask } from '@errand/contract';

const batchSize = 200;
const batchesAtOnce = 8;
export const singlesAtOnce = 64;

export type Answer<T> = { readonly value: T } | { readonly error: unknown };

/** Runs `work` for every item, at most `most` at once. Answers in the order of the items. */
export async function atMost<I, T>(items: readonly I[], most: number, work: (item: I) => Promise<T>): Promise<Answer<T>[]> {
  const answers: Answer<T>[] = [];
  answers.length = items.length;
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      try {
        answers[at] = { value: await work(items[at] as I) };
      } catch (error) {
        answers[at] = { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return answers;
}

/** Asks one by one, or in batches where the driver can. A batch that fails, or comes back short, fails for each of its items. */
export async function askEach<I, T>(
  items: readonly I[],
  ask: Ask,
  calls: {
    readonly one: (item: I) => Promise<T>;
    readonly many: ((items: readonly I[]) => Promise<readonly T[]>) | undefined;
    readonly atOnce: number;
  },
): Promise<readonly Answer<T>[]> {
  ask.signal.throwIfAborted();
  const { many } = calls;
  if (!many) return atMost(items, calls.atOnce, calls.one);
  const batches: I[][] = [];
  for (let at = 0; at < items.length; at += batchSize) batches.push(items.slice(at, at + batchSize));
  const answers = await atMost(batches, batchesAtOnce, async (batch) => {
    const values = await many(batch);
    if (values.length !== batch.length) throw new Error(`the driver answered ${values.length} of ${batch.length} questions`);
    return values;
  });
  return answers.flatMap((answer, at): readonly Answer<T>[] =>
    'value' in answer ? answer.value.map((value) => ({ value })) : (batches[at] ?? []).map(() => answer),
  );
}
