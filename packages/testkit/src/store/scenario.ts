import type { Store } from '@errand/core';

/** One fresh database. */
export interface StoreBed extends AsyncDisposable {
  /** One more handle on it, as another process would have; all are closed with the bed. */
  open(): Promise<Store>;
}

export interface StoreScenario {
  /** The promise, as a sentence. */
  readonly name: string;
  run(bed: StoreBed): Promise<void>;
}

/** The code of the refusal, or undefined when nothing was refused. */
export async function refusal(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error);
  }
}

/** Several handles, used in turn. */
export async function openMany(bed: StoreBed, count: number): Promise<(turn: number) => Store> {
  const stores = await Promise.all(Array.from({ length: count }, () => bed.open()));
  return (turn) => {
    const store = stores[turn % count];
    if (!store) throw new Error('no handle was opened');
    return store;
  };
}
