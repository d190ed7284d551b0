import { expect, test } from 'vitest';
import { createChance, killAtCalls, killByChance } from '@errand/testkit';

test('killed at any moment of an apply, the next one finds everything and finishes', async () => {
  const chance = createChance(20_261_116);
  const result = await killByChance({ kills: 8, resources: 100, chance: () => chance.fraction() });
  expect(result.wrong).toEqual([]);
  expect(result.kills).toBeGreaterThanOrEqual(8);
  // A machine that is busy elsewhere may be too slow to hit some of them.
  expect(result.during).toBeGreaterThan(0);
});

test('killed right before or right after any call, the next apply finds everything and finishes', async () => {
  const result = await killAtCalls(3);
  expect(result.wrong).toEqual([]);
  expect(result.kills).toBeGreaterThan(15);
});
