import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { skips } from './test/skips.ts';

const project = (name: string, include: string[], timeout: number, globalSetup: string[] = []) => ({
  test: { name, include, testTimeout: timeout, hookTimeout: timeout, globalSetup },
});

// One folder rule per kind of test; CONTRIBUTING.md says what each is for.
export default defineConfig({
  test: {
    // Node keeps what it made of the sources: the processes that the tests start would each strip and compile them anew.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    // Most tests wait for other processes: more of them at once than there are cores keep the cores busy.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', skips],
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts', 'providers/*/src/**/*.test.ts', 'test/*.test.ts'], 20_000),
      project('conformance', ['{packages,providers}/*/test/conformance/**/*.test.ts'], 60_000),
      // What takes minutes, `npm run test:long`: suites once more as launched plugins and on second engines, real crash matrices.
      project('long', ['{packages,providers}/*/test/long/**/*.test.ts'], 180_000),
      project('faults', ['{packages,providers}/*/test/faults/**/*.test.ts'], 180_000),
      project('interop', ['packages/*/test/interop/**/*.test.ts'], 300_000),
      project('sim', ['packages/*/test/sim/**/*.test.ts'], 3_600_000),
      project('e2e', ['packages/*/test/e2e/**/*.test.ts'], 180_000, ['packages/cli/test/e2e/build.ts']),
    ],
  },
});
