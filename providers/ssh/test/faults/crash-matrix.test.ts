// SIGKILL before and after every store write, log write and provider call, over a line that is cut again and again.
import { crashMatrix, openProxy } from '@errand/testkit';
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

test.for(['run', 'lease', 'cancel', 'timeout'] as const)(
  'a crash anywhere in %s loses and doubles nothing',
  { timeout: 900_000 },
  async (scenario, { skip }) => {
    needSshd(skip);
    await using sshd = await startSshd();
    await using proxy = await openProxy({ host: '127.0.0.1', port: sshd.port });
    const provider = { module: '@errand/provider-ssh', name: 'sshProvider', options: { ...sshd.options, port: proxy.port } };
    const cutting = setInterval(() => proxy.cut(), 7_000);
    try {
      const start = performance.now();
      const { steps, crashes, violations } = await crashMatrix({ scenario, provider, wide: 3, compileCache });
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      process.stdout.write(`crash matrix: ssh ${scenario}: ${steps.length} steps, ${crashes} crashes, ${seconds} s\n`);
      expect(violations, violations.join('\n')).toEqual([]);
      // Most of the points must have been met, or the matrix proves nothing.
      expect(crashes).toBeGreaterThan(steps.length);
    } finally {
      clearInterval(cutting);
    }
  },
);
