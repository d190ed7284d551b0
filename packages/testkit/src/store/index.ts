// What every store promises. `makeBed` gives a fresh, empty database for each scenario.
import { describe, expect, test } from 'vitest';
import { atomic, counting, isolated } from './atomic.ts';
import { cancel } from './cancel.ts';
import { eventOrder, eventSecrecy, eventTail } from './events.ts';
import { claimClosed, claimRace, claimRaisesLease, fencing } from './fencing.ts';
import { leaseFilters, prefixes, runFilters } from './filters.ts';
import { firstCauseWins, firstOutcomeWins } from './first-wins.ts';
import { openWarm, providersUsed, takeIdle, takeIdleRace } from './idle.ts';
import { keyRace, keys } from './keys.ts';
import { readBackLease, readBackRun, readBackWaiting } from './read-back.ts';
import { renewals } from './renewals.ts';
import { openRace, reopen } from './reopen.ts';
import type { StoreBed, StoreScenario } from './scenario.ts';
import { leaseStatusTable, runStatusTable, unknownIds } from './statuses.ts';
import { takeLease, takeLeaseRace, takeLeaseRefused } from './take-lease.ts';
import { watch, watchTwice } from './watch.ts';

export { storeBed } from './bed.ts';
export type { StoreBed, StoreScenario } from './scenario.ts';

const scenarios: readonly StoreScenario[] = [
  readBackRun,
  readBackWaiting,
  readBackLease,
  keys,
  keyRace,
  runStatusTable,
  leaseStatusTable,
  unknownIds,
  fencing,
  claimRace,
  claimClosed,
  claimRaisesLease,
  takeLease,
  takeLeaseRefused,
  takeLeaseRace,
  takeIdle,
  takeIdleRace,
  openWarm,
  providersUsed,
  firstOutcomeWins,
  firstCauseWins,
  renewals,
  cancel,
  atomic,
  isolated,
  counting,
  eventOrder,
  eventSecrecy,
  eventTail,
  runFilters,
  leaseFilters,
  prefixes,
  watch,
  watchTwice,
  reopen,
  openRace,
];

export function storeConformance(name: string, makeBed: () => Promise<StoreBed>): void {
  describe(`store: ${name}`, () => {
    test.each(scenarios)('$name', async (scenario) => {
      expect.hasAssertions();
      await using bed = await makeBed();
      await scenario.run(bed);
    });
  });
}
