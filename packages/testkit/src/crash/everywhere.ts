// The matrix of the engine itself: dies before and after every store write, log write and provider call.
import { expect } from 'vitest';
import { crashMatrix } from './matrix.ts';
import type { MatrixOptions } from './matrix.ts';

export async function crashEverywhere({ scenario, provider }: Pick<MatrixOptions, 'scenario' | 'provider'>): Promise<void> {
  const start = performance.now();
  const { steps, crashes, violations } = await crashMatrix({ scenario, provider, wide: 2 });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const name = provider === 'fake' ? 'fake' : provider.name;
  process.stdout.write(`crash matrix: ${name} ${scenario}: ${steps.length} steps, ${crashes} crashes, ${seconds} s\n`);
  expect(violations, violations.join('\n')).toEqual([]);
  // Most of the points must have been met, or the matrix proves nothing.
  expect(crashes).toBeGreaterThan(steps.length);
}
