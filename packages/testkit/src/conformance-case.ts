// A scenario as something that can be run by anybody: vitest in our own tests, `errand provider test` for an author.
import { AssertionError } from 'node:assert';
import { checksIn } from './expect.ts';

export interface ConformanceCase {
  readonly name: string;
  /** Gives why it does not apply, or undefined when the promise was held; throws when it was broken. */
  readonly run: () => Promise<string | undefined>;
}

interface Scenario<W> {
  readonly name: string;
  run(world: W): Promise<void>;
}

export interface CaseOptions<W, S extends Scenario<W>> {
  readonly scenarios: readonly S[];
  readonly open: () => Promise<W & AsyncDisposable>;
  /** Asked before anything is opened. */
  readonly skipped: (scenario: string) => string | undefined;
  readonly unless?: (scenario: S, world: W) => string | undefined;
}

export function casesOf<W, S extends Scenario<W>>(options: CaseOptions<W, S>): ConformanceCase[] {
  const { scenarios, open, skipped, unless } = options;
  return scenarios.map((scenario) => ({
    name: scenario.name,
    async run() {
      const known = skipped(scenario.name);
      if (known !== undefined) return known;
      await using world = await open();
      const reason = unless?.(scenario, world);
      if (reason !== undefined) return reason;
      const checks = await checksIn(() => scenario.run(world));
      if (checks === 0) throw new AssertionError({ message: 'the scenario looked at nothing, so it proves nothing' });
      return undefined;
    },
  }));
}
