import { crashAtCalls } from '@errand/testkit';
import { test } from 'vitest';
import { bed, needEngine, openLine } from '../faults/bed.ts';

test.for(['run', 'lease', 'cancel', 'timeout'] as const)(
  'a crash at any call of %s loses and doubles nothing',
  { timeout: 600_000 },
  async (scenario, { skip }) => {
    needEngine(skip);
    if (typeof bed === 'string') return;
    await using line = await openLine({ seed: 7, cuts: 8, delay: 4 });
    // Where the jobs leave their marks.
    const mounts = [{ source: '{directory}', target: '{directory}', read_only: false }];
    const options = { engine: line.address, profile: 'permissive', network: 'none', mounts };
    const provider = { module: '@errand/provider-docker', name: 'dockerProvider', image: bed.image, options, samePids: false };
    await crashAtCalls(scenario, provider, line);
  },
);
