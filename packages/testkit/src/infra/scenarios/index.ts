// What the engine and a provider promise together, whatever lies between them: planned and applied for real, and looked at
// from the platform's side.
import { describe, expect, test } from 'vitest';
import { applyingScenarios } from './applying.ts';
import { planningScenarios } from './planning.ts';
import { openInfraWorld } from './world.ts';
import type { InfraRoute, InfraScenario } from './world.ts';

export type { InfraRoute, InfraScenario, InfraWorld } from './world.ts';

export const infraScenarios: readonly InfraScenario[] = [...planningScenarios, ...applyingScenarios];

export function infraConformance(name: string, route: InfraRoute): void {
  describe(`infra: ${name}`, () => {
    test.each(infraScenarios)('$name', async (scenario) => {
      expect.hasAssertions();
      await using world = await openInfraWorld(route);
      await scenario.run(world);
    });
  });
}
