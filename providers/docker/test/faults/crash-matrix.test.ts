// SIGKILL before and after every call to the engine, on a line that delays and cuts, each mutating call delivered twice;
// then a fresh process. The writes in between are the core's matrix.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crashMatrix } from '@errand/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bed, needEngine, openLine } from './bed.ts';

let compileCache: string;
beforeAll(async () => {
  compileCache = await mkdtemp(join(tmpdir(), 'errand-cache-'));
});
afterAll(() => rm(compileCache, { recursive: true, force: true }));

const callsOnly = (step: string) => /^(host|runner)\./.test(step);

test.for(['run', 'lease', 'cancel', 'timeout'] as const)(
  'a crash at any call of %s loses and doubles nothing',
  { timeout: 600_000 },
  async (scenario, { skip }) => {
    needEngine(skip);
    if (typeof bed === 'string') return;
    await using line = await openLine({ seed: 7, cuts: 8, delay: 4 });
    const mounts = [{ source: '{directory}', target: '{directory}', read_only: false }];
    const provider = {
      module: '@errand/provider-docker',
      name: 'dockerProvider',
      image: bed.image,
      options: { engine: line.address, profile: 'permissive', network: 'none', mounts },
      samePids: false,
      twice: true,
    };
    const start = performance.now();
    const at = process.env['ERRAND_CRASH_ALL'] ? () => true : callsOnly;
    const { points, crashes, violations } = await crashMatrix({ scenario, provider, wide: 4, compileCache, at });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(
      `crash matrix: docker ${scenario}: ${crashes} crashes of ${points}, ${line.cutCount()} cuts, ${seconds} s\n`,
    );
    expect(violations, violations.join('\n')).toEqual([]);
    // Most of the points must have been met, or the matrix proves nothing.
    expect(crashes).toBeGreaterThan(points / 2);
    expect(line.cutCount()).toBeGreaterThan(0);
  },
);
