import { describe, expect, test } from 'vitest';
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
} from './driver/life.ts';
import { aborted, foreign, killed, otherKey, sameKey, together } from './driver/once.ts';
import type { DriverScenario } from './driver/scenario.ts';
import { healthy, ownReplace, sensitive, unknownKey } from './driver/values.ts';
import { openDriverWorld } from './driver/world.ts';
import type { DriverSubject } from './driver/world.ts';

export type { DriverSample, DriverSubject } from './driver/world.ts';

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

export function driverConformance(name: string, subject: DriverSubject): void {
  const cases = subject.samples.flatMap((sample) =>
    scenarios.filter((scenario) => scenario.applies?.(sample, subject) ?? true).map((scenario) => ({ sample, scenario })),
  );
  describe(`drivers: ${name}`, () => {
    test.for(cases.map((one) => [`${one.sample.type}: ${one.scenario.name}`, one] as const))(
      '%s',
      async ([title, { sample, scenario }], { skip }) => {
        if (subject.missing !== undefined && process.env['CI']) throw new Error(subject.missing);
        const known = subject.missing ?? subject.skips?.[title] ?? subject.skips?.[scenario.name];
        if (known !== undefined) skip(known);
        await using world = await openDriverWorld(subject, sample);
        expect.hasAssertions();
        await scenario.run(world);
      },
    );
    test('every skip names a scenario', () => {
      const names = new Set(cases.flatMap(({ sample, scenario }) => [scenario.name, `${sample.type}: ${scenario.name}`]));
      expect(Object.keys(subject.skips ?? {}).filter((one) => !names.has(one))).toEqual([]);
    });
  });
}
