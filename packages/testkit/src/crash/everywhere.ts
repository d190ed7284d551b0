// The matrix of the engine itself: dies before and after every store write, log write and provider call.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { crashMatrix } from './matrix.ts';
import type { MatrixOptions } from './matrix.ts';

export async function crashEverywhere({ scenario, provider }: Pick<MatrixOptions, 'scenario' | 'provider'>): Promise<void> {
  const compileCache = await mkdtemp(join(tmpdir(), 'errand-cache-'));
  try {
    const start = performance.now();
    const { steps, crashes, violations } = await crashMatrix({ scenario, provider, wide: 2, compileCache });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const name = provider === 'fake' ? 'fake' : provider.name;
    process.stdout.write(`crash matrix: ${name} ${scenario}: ${steps.length} steps, ${crashes} crashes, ${seconds} s\n`);
    expect(violations, violations.join('\n')).toEqual([]);
    // Most of the points must have been met, or the matrix proves nothing.
    expect(crashes).toBeGreaterThan(steps.length);
  } finally {
    await rm(compileCache, { recursive: true, force: true });
  }
}
