import { casesOf } from '../../conformance-case.ts';
import type { ConformanceCase } from '../../conformance-case.ts';
import {
  created,
  deleted,
  deletedByName,
  missing,
  outputsAreData,
  purely,
  replaced,
  unchanged,
  updated,
  updateGone,
} from './life.ts';
import { aborted, foreign, killed, otherKey, sameKey, together } from './once.ts';
import type { DriverScenario } from './scenario.ts';
import { healthy, ownReplace, sensitive, unknownKey } from './values.ts';
import { openDriverWorld } from './world.ts';
import type { DriverSubject } from './world.ts';

const scenarios: readonly DriverScenario[] = [
  created,
  outputsAreData,
  unchanged,
  updated,
  updateGone,
  replaced,
  purely,
  deleted,
  deletedByName,
  missing,
  sameKey,
  otherKey,
  foreign,
  together,
  aborted,
  killed,
  sensitive,
  unknownKey,
  healthy,
  ownReplace,
];

/** What a plugin of the public contract cannot know. */
const beyondPublic: ReadonlyMap<string, string> = new Map([
  [sameKey.name, 'the public contract carries no key, so it cannot know its own again'],
  [aborted.name, 'the public contract carries no key, so it cannot know its own again'],
  [unknownKey.name, 'the public contract does not say which keys a type takes'],
]);

/** Every scenario for every sample. Nothing is opened before a case is run. */
export function driverCases(subject: DriverSubject): ConformanceCase[] {
  return subject.samples.flatMap((sample) => {
    const cases = casesOf({
      scenarios: scenarios.filter((scenario) => scenario.applies?.(sample, subject) ?? true),
      open: () => openDriverWorld(subject, sample),
      skipped: (name) => {
        if (subject.missing !== undefined && process.env['CI']) throw new Error(subject.missing);
        const known = subject.skips?.[`${sample.type}: ${name}`] ?? subject.skips?.[name];
        return subject.missing ?? known ?? (subject.publicOnly ? beyondPublic.get(name) : undefined);
      },
    });
    return cases.map((one) => ({ ...one, name: `${sample.type}: ${one.name}` }));
  });
}
