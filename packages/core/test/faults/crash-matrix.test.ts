// SIGKILL before and after every store write, log write and provider call of each scenario; then a fresh process.
import { crashEverywhere } from '@errand/testkit';
import { test } from 'vitest';

const scenarios = ['run', 'lease', 'cancel', 'timeout', 'sync', 'reuse', 'warm'] as const;

test.for(scenarios)('a crash anywhere in %s loses and doubles nothing', { timeout: 600_000 }, (scenario) =>
  crashEverywhere(scenario),
);
