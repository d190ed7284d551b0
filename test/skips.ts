// Prints what was skipped and why, after everything else. A skip without a reason is a hole, so it fails the run.
import type { Reporter, TestModule } from 'vitest/node';

/** With `-t` every other test is skipped without a word, which is what was asked for. */
const chosen = process.argv.some((argument) => argument === '-t' || argument.startsWith('--testNamePattern'));

export const skips: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    if (skipped.length === 0 || chosen) return;
    const lines = skipped.map((test) => {
      const result = test.result();
      if (result.state === 'skipped' && result.note !== undefined) return `  ${test.fullName}: ${result.note}`;
      process.exitCode = 1;
      return `  ${test.fullName}: NO REASON GIVEN`;
    });
    process.stdout.write(`\nskipped, and why:\n${lines.join('\n')}\n`);
  },
};
