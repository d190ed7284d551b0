// What every runner promises.
import { casesOf } from '../conformance-case.ts';
import type { ConformanceCase } from '../conformance-case.ts';
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

export function runnerCases(subject: ProviderSubject): ConformanceCase[] {
  return casesOf({
    scenarios,
    open: () => openRunnerWorld(subject),
    skipped: (scenario) =>
      skipReason(subject, scenario) ??
      (subject.publicOnly && scenario === inventory.name ? 'the public contract has no list of jobs' : undefined),
    unless: (scenario, world) => scenario.unless?.(world.capabilities, world),
  });
}
