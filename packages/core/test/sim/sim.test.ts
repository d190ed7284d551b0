// Seeded stories of several hosts on one store. `ERRAND_SIM_SEED=<n>` replays one with every step;
// `ERRAND_SIM_SEEDS=<count>` plays more (`npm run test:sim`), from `ERRAND_SIM_FIRST` on.
import { simulate } from '@errand/testkit';
import { expect, test } from 'vitest';
import { createMemoryLogs } from '../../src/logs/memory.ts';
import { openStoreOn } from '../../src/store/open.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

const only = process.env['ERRAND_SIM_SEED'];
const first = Number(process.env['ERRAND_SIM_FIRST'] ?? 1);
const count = Number(process.env['ERRAND_SIM_SEEDS'] ?? 80);

async function play(seed: number, tell?: (line: string) => void) {
  await using database = await openSqlite(':memory:');
  const store = await openStoreOn(database);
  return await simulate(seed, { store, logs: createMemoryLogs(), ...(tell && { tell }) });
}

async function playOne(): Promise<void> {
  const result = await play(Number(only), (line) => process.stdout.write(`${line}\n`));
  expect(result.violations).toEqual([]);
}

async function playAll(): Promise<void> {
  const failed: string[] = [];
  let [runs, deaths, reused] = [0, 0, 0];
  const start = performance.now();
  for (let seed = first; seed < first + count; seed++) {
    const result = await play(seed);
    runs += result.runs;
    deaths += result.deaths;
    reused += result.reused;
    for (const line of result.violations) failed.push(`seed ${seed}: ${line}`);
    if (result.violations.length > 0) failed.push(`  replay: ERRAND_SIM_SEED=${seed} npx vitest run --project sim`);
    if (failed.length > 40) break;
  }
  const seconds = (performance.now() - start) / 1000;
  const rate = (count / seconds).toFixed(0);
  process.stdout.write(
    `sim: ${count} seeds, ${runs} runs, ${deaths} dead hosts, ${reused} leases reused, ${seconds.toFixed(1)} s, ${rate} seeds/s\n`,
  );
  expect(failed, failed.join('\n')).toEqual([]);
  expect(reused).toBeGreaterThan(count / 10);
}

/** Without this a printed seed would be worth nothing. */
async function playTwice(): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const [one, two]: [string[], string[]] = [[], []];
    await play(seed, (line) => one.push(line));
    await play(seed, (line) => two.push(line));
    expect(two).toEqual(one);
    expect(one.length).toBeGreaterThan(50);
  }
}

if (only === undefined) test('a seed tells the same story twice', playTwice);
if (only === undefined) test(`${count} stories end with every promise kept`, playAll);
else test(`the story of seed ${only} ends with every promise kept`, playOne);
