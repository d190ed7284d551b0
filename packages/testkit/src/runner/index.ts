// What every runner promises.
import { describe, expect, test } from 'vitest';
import { argvExact, environment, noInput, script } from './command.ts';
import { exitCodes, notExecutable, notFound, signalEnds, times } from './exits.ts';
import { deadline, expiry, memory, oldHolder } from './limits.ts';
import { handlesAreData, startTogether, startTwice } from './once.ts';
import { afterEnd, burst, fastEnd, live, longLine, randomBytes, reopened, resume, split } from './output.ts';
import type { RunnerScenario } from './scenario.ts';
import { missingSecret, secrets } from './secrets.ts';
import { background, stopAgain, stopAsk, stopFirst, stopForce, stopGroup, stopStopped } from './stopping.ts';
import { inventory, signalsEndCalls, waitEverywhere, waitUnknown } from './waiting.ts';
import { openRunnerWorld, skipReason } from './world.ts';
import type { ProviderSubject } from './world.ts';

export type { ProviderSubject } from './world.ts';

const scenarios: readonly RunnerScenario[] = [
  exitCodes,
  signalEnds,
  notFound,
  notExecutable,
  times,
  argvExact,
  script,
  environment,
  noInput,
  split,
  burst,
  longLine,
  randomBytes,
  resume,
  reopened,
  afterEnd,
  fastEnd,
  live,
  startTwice,
  startTogether,
  handlesAreData,
  waitEverywhere,
  waitUnknown,
  signalsEndCalls,
  inventory,
  stopAsk,
  stopForce,
  stopGroup,
  background,
  stopStopped,
  stopAgain,
  stopFirst,
  deadline,
  memory,
  expiry,
  oldHolder,
  secrets,
  missingSecret,
];

export function runnerConformance(name: string, subject: ProviderSubject): void {
  describe(`runner: ${name}`, () => {
    test.for(scenarios.map((scenario) => [scenario.name, scenario] as const))(
      '%s',
      async ([scenarioName, scenario], { skip }) => {
        const known = skipReason(subject, scenarioName);
        if (known !== undefined) skip(known);
        await using world = await openRunnerWorld(subject);
        const reason = scenario.unless?.(world.capabilities, world);
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
