// A whole story from one number: several hosts on one store and one cloud, dying, sleeping and being lied to; then
// peace, one healthy host that cleans up, and the invariants.
import type { Config, Environment, LogStore, Runtime, Store } from '@errand/core';
import { createFakeCloud } from '../fake/cloud.ts';
import { violations } from '../invariants/check.ts';
import { observe } from '../invariants/world.ts';
import type { World } from '../invariants/world.ts';
import { createVirtualClock } from './clock.ts';
import type { VirtualClock } from './clock.ts';
import { startHost } from './host.ts';
import type { Ground } from './host.ts';
import { createChance } from './random.ts';
import { createStory } from './story.ts';
import type { Told } from './story.ts';
import { drawRules, drawTraits } from './weather.ts';

export interface SimOptions {
  readonly store: Store;
  readonly logs: LogStore;
  /** Hears every step of every host; for looking into one seed. */
  readonly tell?: (line: string) => void;
}

export interface SimResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly runs: number;
  readonly deaths: number;
  /** How often a lease that stood idle was taken. */
  readonly reused: number;
}

const hour = 3_600_000;

export async function simulate(seed: number, options: SimOptions): Promise<SimResult> {
  const chance = createChance(seed);
  const clock = createVirtualClock();
  const began = clock.now();
  const cloudChance = chance.fork();
  const cloud = createFakeCloud({ clock, random: () => cloudChance.fraction(), traits: drawTraits(chance) });
  let id = 0;
  const problems: string[] = [];
  const ground: Ground = {
    chance,
    clock,
    cloud,
    store: options.store,
    logs: options.logs,
    config: simConfig(chance.pick([20_000, 60_000, 600_000])),
    nextId: () => ++id,
    dead: new Set(),
    complain: (line) => void problems.push(line),
    tell: (line) => options.tell?.(`${String(clock.now() - began).padStart(8)} ${line}`),
  };
  ground.tell(`traits ${JSON.stringify(cloud.traits)}`);
  for (const rule of drawRules(chance, began)) {
    cloud.manners.add(rule);
    ground.tell(`rule ${JSON.stringify(rule)}`);
  }
  const story = createStory(ground);
  await clock.drive(story.play(), 24 * hour);
  cloud.manners.clear();
  ground.tell('peace');
  const healer = startHost(ground, 'healer');
  try {
    await clock.drive(
      heal(clock, options.store, healer.runtime, () => cloud.places()),
      2 * hour,
    );
  } catch (error) {
    problems.push(`the world did not come to rest: ${error instanceof Error ? error.message : String(error)}`);
  }
  const world = await observe(options.store, options.logs, cloud);
  const reused = world.events.filter((event) => event.subject === 'lease' && event.type === 'take').length;
  problems.push(...violations(world), ...lies(world, story.told), ...story.told.surprises);
  return { seed, violations: problems, runs: world.runs.length, deaths: ground.dead.size, reused };
}

/** Sweeps until nothing is open and nothing is alive; the drive's limit bounds it. */
async function heal(
  clock: VirtualClock,
  store: Store,
  runtime: Runtime,
  places: () => readonly { readonly goneAt?: number }[],
): Promise<void> {
  for (;;) {
    await runtime.sweep();
    const runs = await store.runs({ open: true });
    const leases = await store.leases({ statuses: ['pending', 'active', 'idle', 'releasing'] });
    const alive = places().filter((place) => place.goneAt === undefined);
    if (runs.length + leases.length + alive.length === 0) return;
    await clock.sleep(10_000);
  }
}

/** Every answer that a caller got must be the one in the book. */
function lies(world: World, told: Told): string[] {
  const runs = new Map(world.runs.map((run) => [run.id, run]));
  const outcomes = told.outcomes.filter(({ run, outcome }) => JSON.stringify(runs.get(run)?.outcome) !== JSON.stringify(outcome));
  const keys = told.keys.filter(({ key, run }) => runs.get(run)?.key !== key);
  return [
    ...outcomes.map(({ run, outcome }) => `a caller of ${run} was told ${JSON.stringify(outcome)}, which is not written`),
    ...keys.map(({ key, run }) => `a caller with ${key} was given ${run}, which has another key`),
  ];
}

/** `workload.ts` draws from these. */
const step = (...argv: readonly string[]) => ({ argv });

function simConfig(ttl: number): Config {
  const common = { provider: 'fake', options: {}, resources: {}, env: {}, secretEnv: {}, grace: 2000, labels: {} };
  const environments: readonly Environment[] = [
    { ...common, name: 'sim', lease: { policy: 'fresh', ttl } },
    { ...common, name: 'again', lease: { policy: 'reuse', ttl } },
    { ...common, name: 'kept', lease: { policy: 'keep-on-failure', ttl } },
    { ...common, name: 'ready', lease: { policy: 'fresh', ttl }, warm: 2, provision: [step('emit', '3', 'sleep', '300')] },
    {
      ...common,
      name: 'both',
      lease: { policy: 'reuse', ttl },
      warm: 1,
      provision: [step('every', '200', 'emit', '4'), step('warn', 'nearly', 'sleep', '1000')],
    },
  ];
  return { environments: new Map(environments.map((one) => [one.name, one])), warnings: [] };
}
