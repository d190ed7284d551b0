import { crashAtCalls } from '@errand/testkit';
import { test } from 'vitest';
import { startSshd } from '../sshd.ts';
import { needSshd, openLine } from '../faults/bed.ts';

test.for(['run', 'lease', 'cancel', 'timeout'] as const)(
  'a crash at any call of %s loses and doubles nothing',
  { timeout: 900_000 },
  async (scenario, { skip }) => {
    needSshd(skip);
    await using sshd = await startSshd();
    await using line = await openLine(sshd, { seed: 5, cuts: 2, delay: 3 });
    const options = { ...sshd.options, port: line.port };
    await crashAtCalls(scenario, { module: '@errand/provider-ssh', name: 'sshProvider', options }, line);
  },
);
