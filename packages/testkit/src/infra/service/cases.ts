import { casesOf } from '../../conformance-case.ts';
import type { ConformanceCase } from '../../conformance-case.ts';
import { drifted, enumerated, finalized, owned, regions, status, stored, validated } from './scenarios.ts';
import type { ServiceScenario } from './scenarios.ts';
import { openServiceWorld } from './world.ts';
import type { ServiceSubject } from './world.ts';

const scenarios: readonly ServiceScenario[] = [status, enumerated, owned, drifted, regions, validated, finalized, stored];

/** The names of all that is tried. */
export const allServices: ReadonlySet<string> = new Set(scenarios.map(({ facet }) => facet));

/** For what the provider offers beside drivers; a service that is absent has made no promise. */
export function serviceCases(subject: ServiceSubject, offered: ReadonlySet<string>): ConformanceCase[] {
  return casesOf({
    scenarios: scenarios.filter(({ facet }) => offered.has(facet)),
    open: () => openServiceWorld(subject),
    skipped: (name) => {
      if (subject.missing !== undefined && process.env['CI']) throw new Error(subject.missing);
      return subject.missing ?? subject.skips?.[name];
    },
    unless: (scenario, world) => scenario.unless?.(world),
  });
}
