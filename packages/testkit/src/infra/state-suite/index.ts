// What every place for states promises. `makeBed` gives a fresh, empty one for each scenario.
import { describe, expect, test } from 'vitest';
import type { StateBed, StateScenario } from './bed.ts';
import { lockScenarios } from './locks.ts';
import { recordScenarios } from './records.ts';
import { versionScenarios } from './versions.ts';

export type { StateBed, StateScenario } from './bed.ts';

const scenarios: readonly StateScenario[] = [...recordScenarios, ...lockScenarios, ...versionScenarios];

export function stateConformance(name: string, makeBed: () => Promise<StateBed>): void {
  describe(`state: ${name}`, () => {
    test.each(scenarios)('$name', async (scenario) => {
      expect.hasAssertions();
      await using bed = await makeBed();
      await scenario.run(bed);
    });
  });
}
