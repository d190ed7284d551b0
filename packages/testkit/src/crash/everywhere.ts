// The matrix of the engine itself: dies before and after every store write, log write and provider call.
import { expect } from 'vitest';
import { crashMatrix } from './matrix.ts';
import type { ScenarioName } from './plan.ts';

export async function crashEverywhere(scenario: ScenarioName): Promise<void> {
  const start = performance.now();
  const { steps, crashes, violations } = await crashMatrix({ scenario, provider: 'fake', wide: 2 });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`crash matrix: fake ${scenario}: ${steps.length} steps, ${crashes} crashes, ${seconds} s\n`);
  expect(violations, violations.join('\n')).toEqual([]);
  // Most of the points must have been met, or the matrix proves nothing.
  expect(crashes).toBeGreaterThan(steps.length);
}
