// SIGKILL before and after every store write, log write and provider call of each scenario; then a fresh process.
import { crashMatrix } from '@errand/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const providers = { fake: 'fake', local: { module: '@errand/provider-local', name: 'localProvider' } } as const;
let compileCache: string;

beforeAll(async () => {
  compileCache = await mkdtemp(join(tmpdir(), 'errand-cache-'));
});
afterAll(() => rm(compileCache, { recursive: true, force: true }));

describe.each(Object.entries(providers))('on the provider %s', (name, provider) => {
  // What becomes of places between runs is the engine's affair alone, so one provider is enough for it.
  const between = name === 'fake' ? (['reuse', 'warm'] as const) : [];
  const scenarios = ['run', 'lease', 'cancel', 'timeout', 'sync', ...between] as const;
  test.each(scenarios)('a crash anywhere in %s loses and doubles nothing', async (scenario) => {
    const start = performance.now();
    const { steps, crashes, violations } = await crashMatrix({ scenario, provider, wide: 2, compileCache });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(`crash matrix: ${name} ${scenario}: ${steps.length} steps, ${crashes} crashes, ${seconds} s\n`);
    expect(violations, violations.join('\n')).toEqual([]);
    // Most of the points must have been met, or the matrix proves nothing.
    expect(crashes).toBeGreaterThan(steps.length);
  });
});
