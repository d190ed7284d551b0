import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batched } from './batches.ts';

async function gather(source: AsyncIterable<number>, limit: number): Promise<(readonly number[])[]> {
  const batches: (readonly number[])[] = [];
  for await (const batch of batched(source, limit, () => 1)) batches.push(batch);
  return batches;
}

test('what is there goes together, up to the limit', async () => {
  async function* source() {
    for (let index = 0; index < 7; index++) yield index;
  }
  expect(await gather(source(), 3)).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
});

test('what comes alone is not held back', async () => {
  const seen: number[] = [];
  async function* source() {
    yield 1;
    await sleep(50);
    expect(seen).toEqual([1]);
    yield 2;
  }
  for await (const batch of batched(source(), 10, () => 1)) seen.push(...batch);
  expect(seen).toEqual([1, 2]);
});

test('what came before an error is handed on first', async () => {
  async function* source() {
    yield 1;
    yield 2;
    throw new Error('cut');
  }
  const seen: number[] = [];
  const read = async () => {
    for await (const batch of batched(source(), 10, () => 1)) seen.push(...batch);
  };
  await expect(read()).rejects.toThrow('cut');
  expect(seen).toEqual([1, 2]);
});

test('stopping early ends the source', async () => {
  let ended = false;
  async function* source() {
    try {
      for (;;) yield 1;
    } finally {
      ended = true;
    }
  }
  for await (const batch of batched(source(), 2, () => 1)) if (batch.length === 2) break;
  expect(ended).toBe(true);
});
