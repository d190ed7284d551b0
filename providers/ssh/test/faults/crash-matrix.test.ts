// SIGKILL before and after every call to the machine, on a line that delays and cuts, each mutating call delivered twice;
// then a fresh process. The writes in between are the core's matrix.
import { crashMatrix, openRoughLine } from '@errand/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSshd } from '../sshd.ts';
import { needSshd } from './bed.ts';

let compileCache: string;
beforeAll(async () => {
  compileCache = await mkdtemp(join(tmpdir(), 'errand-cache-'));
});
afterAll(() => rm(compileCache, { recursive: true, force: true }));

const callsOnly = (step: string) => /^(host|runner)\./.test(step);

test.for(['run', 'lease', 'cancel', 'timeout'] as const)(
  'a crash at any call of %s loses and doubles nothing',
  { timeout: 900_000 },
  async (scenario, { skip }) => {
    needSshd(skip);
    await using sshd = await startSshd();
    await using line = await openRoughLine({ host: '127.0.0.1', port: sshd.port }, { seed: 5, cuts: 2, delay: 3 });
    const port = 'port' in line.near ? line.near.port : 0;
    const options = { ...sshd.options, port };
    const provider = { module: '@errand/provider-ssh', name: 'sshProvider', options, twice: true };
    const start = performance.now();
    const at = process.env['ERRAND_CRASH_ALL'] ? () => true : callsOnly;
    const { points, crashes, violations } = await crashMatrix({ scenario, provider, wide: 4, compileCache, at });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(
      `crash matrix: ssh ${scenario}: ${crashes} crashes of ${points}, ${line.cutCount()} cuts, ${seconds} s\n`,
    );
    expect(violations, violations.join('\n')).toEqual([]);
    // Most of the points must have been met, or the matrix proves nothing.
    expect(crashes).toBeGreaterThan(points / 2);
    expect(line.cutCount()).toBeGreaterThan(0);
  },
);
