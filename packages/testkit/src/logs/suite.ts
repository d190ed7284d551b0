import { describe, expect, test } from 'vitest';
import { badCursor } from './bad-cursor.ts';
import { empty } from './empty.ts';
import { followSignal, followStream, followTakeover } from './follow.ts';
import { inOrder } from './in-order.ts';
import { large, manySmall } from './large.ts';
import { linked, linkedDamaged, linkedInVain, linkedTakeover, linkedTorn } from './linked.ts';
import { positions } from './positions.ts';
import { resume } from './resume.ts';
import { sealsHideStale, unsealed } from './seals.ts';
import type { LastingLogsSubject, LogsScenario, LogsSubject } from './subject.ts';
import { damaged, tornEnd } from './torn.ts';

const reading = [inOrder, empty, resume, badCursor, positions, sealsHideStale, unsealed];
const linking = [linked, linkedTakeover, linkedInVain];
const following = [followTakeover, followStream, followSignal];

/** What every log store must do. `open` gives a fresh, empty one each time. */
export function logsSuite(name: string, open: () => Promise<LogsSubject>): void {
  describe(`logs: ${name}`, () => {
    runAll([...reading, ...linking, ...following, manySmall, large], open);
  });
}

/** What a log store must do besides, if it outlives the process. */
export function lastingLogsSuite(name: string, open: () => Promise<LastingLogsSubject>): void {
  describe(`lasting logs: ${name}`, () => {
    runAll([tornEnd, damaged, linkedTorn, linkedDamaged], open);
  });
}

function runAll<S extends LogsSubject>(scenarios: readonly LogsScenario<S>[], open: () => Promise<S>): void {
  test.each(scenarios)('$name', async (scenario) => {
    expect.hasAssertions();
    await using subject = await open();
    await scenario.run(subject);
  });
}
