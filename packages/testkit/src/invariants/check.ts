// The promises that hold after any story, whoever died in it. Each check gives one line per violation.
import { keysHaveOneEffect, outcomesAreTrue, runsCloseOnce } from './outcome.ts';
import { outputIsWhole } from './output.ts';
import {
  jobsAreInsideLeases,
  leasesAreExclusive,
  leasesAreHandedOver,
  liveLeasesAreLeftAlone,
  oldEpochsAreRefused,
  placesHaveLeases,
} from './ownership.ts';
import { placesAreProvisioned, provisioningIsKept } from './provision.ts';
import type { World } from './world.ts';

const invariants = {
  placesHaveLeases,
  jobsAreInsideLeases,
  runsCloseOnce,
  outcomesAreTrue,
  outputIsWhole,
  leasesAreExclusive,
  leasesAreHandedOver,
  oldEpochsAreRefused,
  keysHaveOneEffect,
  liveLeasesAreLeftAlone,
  placesAreProvisioned,
  provisioningIsKept,
};

export function violations(world: World): string[] {
  return Object.entries(invariants).flatMap(([name, check]) => check(world).map((line) => `${name}: ${line}`));
}
