import { crashAtCalls } from '@errand/testkit';
import { test } from 'vitest';

const provider = { module: '@errand/provider-local', name: 'localProvider' };

// What becomes of places between runs is the engine's affair alone: its own matrix has `reuse` and `warm`.
test.for(['run', 'lease', 'cancel', 'timeout', 'sync'] as const)(
  'a crash at any call of %s loses and doubles nothing',
  { timeout: 600_000 },
  (scenario) => crashAtCalls(scenario, provider),
);
