// What every host promises.
import { describe, expect, test } from 'vitest';
import { openHostWorld } from './world.ts';
import { skipReason } from '../runner/world.ts';
import type { ProviderSubject } from '../runner/world.ts';
import { escapes, everything, links, patterns, realizeAgain, realizeTree } from './files.ts';
import { acquireTogether, acquireTwice, apart, handlesAreData, inventory, oldHolders, renewals } from './places.ts';
import { readOnly, releasedIsGone, releaseKills, releaseTwice } from './releasing.ts';
import type { HostScenario } from './scenario.ts';

const scenarios: readonly HostScenario[] = [
  acquireTwice,
  acquireTogether,
  handlesAreData,
  apart,
  inventory,
  renewals,
  oldHolders,
  releaseTwice,
  releasedIsGone,
  releaseKills,
  readOnly,
  realizeTree,
  realizeAgain,
  escapes,
  patterns,
  everything,
  links,
];

export function hostConformance(name: string, subject: ProviderSubject): void {
  describe(`host: ${name}`, () => {
    test.for(scenarios.map((scenario) => [scenario.name, scenario] as const))(
      '%s',
      async ([scenarioName, scenario], { skip }) => {
        const known = skipReason(subject, scenarioName);
        if (known !== undefined) skip(known);
        await using world = await openHostWorld(subject);
        const reason = scenario.unless?.(world);
        if (reason !== undefined) skip(reason);
        expect.hasAssertions();
        await scenario.run(world);
      },
    );
    test('every skip names a scenario', () => {
      const names = new Set(scenarios.map((scenario) => scenario.name));
      expect(Object.keys(subject.skips ?? {}).filter((one) => !names.has(one))).toEqual([]);
    });
  });
}
