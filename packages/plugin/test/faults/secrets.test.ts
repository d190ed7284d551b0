// A plugin asks its host for the secrets that options name, and for no others.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '@errand/contract';
import { openPluginProvider } from '../../src/launch/provider.ts';
import { createBed, expectNothingLeft } from '../bed.ts';
import type { Bed } from '../bed.ts';
import { ask } from '../stub.ts';

async function open(bed: Bed, secret?: (reference: string) => Promise<string>) {
  const directory = await bed.program([process.execPath, join(import.meta.dirname, '../programs/asks.ts')], 'asks');
  const provider = await openPluginProvider({ ...bed.options(directory), name: 'asks', ...(secret && { secret }) });
  const check = async (options: Json) => (await provider.check?.({ resources: {}, options }, ask()))?.[0]?.message;
  return { check, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

test('what the options name is given, many at once; the rest is refused; the end of the plugin is not held up', async () => {
  await using bed = await createBed();
  const asked: string[] = [];
  const it = await open(bed, async (reference) => {
    asked.push(reference);
    if (reference.endsWith('missing')) throw new Error('there is no such secret');
    return `value of ${reference}`;
  });
  const names = Array.from({ length: 50 }, (_, index) => `secret://env/N${index}`);
  expect(await Promise.all(names.map((wanted) => it.check({ wanted })))).toEqual(names.map((name) => `value of ${name}`));
  await expect(it.check({ wanted: 'secret://env/missing' })).rejects.toMatchObject({
    code: 'secret/missing',
    message: expect.stringContaining('there is no such secret') as string,
  });
  asked.length = 0;
  await expect(it.check({ scheme: 'secret://', wanted: 'env/HOME' })).rejects.toMatchObject({ code: 'secret/missing' });
  expect(asked).toEqual([]);
  const begun = performance.now();
  await it[Symbol.asyncDispose]();
  // Two seconds are what a plugin has before it is forced.
  expect(performance.now() - begun).toBeLessThan(1_800);
  await expectNothingLeft(bed);
});
