// What every host promises.
import { casesOf } from '../conformance-case.ts';
import type { ConformanceCase } from '../conformance-case.ts';
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

export function hostCases(subject: ProviderSubject): ConformanceCase[] {
  return casesOf({
    scenarios,
    open: () => openHostWorld(subject),
    skipped: (scenario) => skipReason(subject, scenario),
    unless: (scenario, world) => scenario.unless?.(world),
  });
}
