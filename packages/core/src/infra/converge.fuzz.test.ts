// Random configs, failing providers, applies that are broken off or whose process dies: whatever happens, the state stays
// readable, nothing is forgotten, and one undisturbed apply makes everything as wanted.
import { expect, test } from 'vitest';
import { ErrandError } from '@errand/contract';
import type { Attributes, Infra } from '@errand/contract';
import { createChance, createFakeInfra, withoutAdoption } from '@errand/testkit';
import type { Chance, FakeFault, FakeInfra } from '@errand/testkit';
import { partsOn } from '../../test/infra-bed.ts';
import { systemRandom } from '../base/random.ts';
import type { Plan } from '../model/infra/plan.ts';
import type { State } from '../model/infra/record.ts';
import type { DeclaredResource, Stack } from '../model/infra/stack.ts';
import { stateStoreOn } from '../store/infra/open.ts';
import type { StateStore } from '../store/infra/port.ts';
import { migrate } from '../store/migrations.ts';
import { openSqlite } from '../store/sqlite.ts';
import { applyPlan } from './apply/apply.ts';
import type { InfraParts } from './apply/session.ts';
import { planStack } from './operate/plan.ts';

const seeds = Number(process.env['ERRAND_INFRA_SEEDS'] ?? 120);
const types = ['fake.thing', 'fake.many', 'fake.replacer', 'infra.database', 'infra.compute'] as const;

function randomResources(chance: Chance): ReadonlyMap<string, DeclaredResource> {
  const names = Array.from({ length: chance.between(0, 12) }, (_, at) => `r${at}`).filter(() => chance.happens(0.8));
  const made = new Map<string, DeclaredResource>();
  for (const name of names) {
    const type = chance.pick(types);
    const alone = type === 'fake.many';
    const needs = alone
      ? []
      : [...made.values()].filter((one) => one.type !== 'fake.many' && chance.happens(0.3)).map((one) => one.name);
    const config: Record<string, Attributes[string]> = { n: chance.between(1, 2), region: chance.pick(['a', 'b']) };
    for (const need of needs)
      config[`of_${need}`] = chance.happens(0.5)
        ? `\${${need}.id}`
        : `x \${${need}.endpoint}`.replace('endpoint', outputOf(made.get(need)));
    const lifecycle = { createBeforeDestroy: alone && chance.happens(0.7), ignoreChanges: [], preventDestroy: false };
    made.set(name, { name, type, provider: 'fake', config, dependsOn: needs, protected: false, lifecycle, adopt: false });
  }
  return made;
}

function outputOf(resource: DeclaredResource | undefined): string {
  return resource?.type === 'infra.database' ? 'password' : 'endpoint';
}

const faults: readonly FakeFault[] = [
  { do: 'refuse', code: 'provider/failed' },
  { do: 'refuse', code: 'provider/unreachable' },
  { do: 'refuse', code: 'provider/refused' },
  { do: 'lose-reply' },
  { do: 'lose-reply', code: 'provider/failed' },
  { do: 'half' },
  { do: 'half', code: 'provider/timeout' },
  { do: 'delay', ms: 1 },
];

async function disturbedApply(parts: InfraParts, fake: FakeInfra, chance: Chance): Promise<void> {
  for (let count = chance.between(0, 4); count > 0; count--) {
    const fault = chance.pick(faults);
    const first = chance.between(1, 8);
    const on = fault.do === 'half' ? 'create' : chance.pick(['create', 'update', 'delete', 'replace', 'read'] as const);
    fake.rule({ on, fault, calls: [first, first + chance.between(0, 2)] });
  }
  const store = dying(parts.store, chance.happens(0.4) ? chance.between(1, 6) : Infinity);
  const [stop, abort] = [new AbortController(), new AbortController()];
  let left = chance.happens(0.3) ? chance.between(1, 8) : Infinity;
  const which = chance.pick([stop, abort]);
  try {
    const own = { ...parts, store };
    const plan = await planStack(own);
    const on = () => void (--left === 0 && which.abort(new Error('enough')));
    await applyPlan(own, plan, stillFor(plan), { parallelism: chance.between(1, 4), stop: stop.signal, abort: abort.signal, on });
  } catch {
    // Whatever it was, the next one has to cope with it.
  }
  fake.goodManners();
  // A process that died did not give its lock back.
  await parts.store.breakLock('default');
}

/** As everywhere: a plan is for one serial, and what recovery finds after it was made makes another. */
function stillFor(plan: Plan) {
  return (state: State) => {
    if (state.serial !== plan.serial) throw new ErrandError('infra/stale-plan', 'the state moved on');
  };
}

/** From one commit on nothing is written any more, as if the process were gone; the platform still gets what was asked. */
function dying(store: StateStore, at: number): StateStore {
  let commits = 0;
  const dead = () => new ErrandError('store/unreachable', 'the process is dead');
  return {
    ...store,
    commit: async (write) => {
      if (++commits >= at) throw dead();
      return store.commit(write);
    },
    releaseLock: async (stack, epoch) => (commits >= at ? undefined : store.releaseLock(stack, epoch)),
  };
}

/** As a provider of the public contract is: it makes a new thing or none for every call, and a name is all there is to know it by. */
function withoutKeys(infra: Infra, chance: Chance): Infra {
  const drivers = [...infra.drivers].map(([type, driver]) => {
    const plain = Object.entries(driver).filter(([key]) => key !== 'replace' && key !== 'upserts');
    const create: typeof driver.create = (spec, call) => driver.create(spec, { ...call, key: `key ${chance.fraction()}` });
    return [type, { ...(Object.fromEntries(plain) as unknown as typeof driver), keyless: true, create }] as const;
  });
  return { ...infra, drivers: new Map(drivers) };
}

async function story(seed: number): Promise<readonly string[]> {
  const chance = createChance(seed);
  await using database = await openSqlite(':memory:');
  await migrate(database, 'a test', systemRandom);
  const store = stateStoreOn(database);
  const fake = createFakeInfra({ keep: 0 });
  const own = withoutAdoption(fake.infra);
  const infra = chance.happens(0.3) ? withoutKeys(own, createChance(seed)) : own;
  const bare = partsOn(store, fake, '/nonexistent');
  const vault = {
    seal: (value: unknown) => ({ $sealed: JSON.stringify(value), $fingerprint: JSON.stringify(value) }),
    open: (sealed: { $sealed: string }) => JSON.parse(sealed.$sealed) as never,
  };
  const withStack = (resources: Stack['resources']): InfraParts => ({
    ...bare,
    vault,
    infraOf: async () => infra,
    stack: {
      ...bare.stack,
      resources,
      outputs: new Map(
        [...resources.keys()].slice(0, 1).map((name) => [name, { name, value: `\${${name}.id}`, sensitive: false }]),
      ),
    },
  });
  let parts = withStack(new Map());
  for (let round = chance.between(1, 4); round > 0; round--) {
    parts = withStack(randomResources(chance));
    await disturbedApply(parts, fake, chance);
  }
  const last = await planStack(parts);
  const { outcomes } = await applyPlan(parts, last, stillFor(last));
  const wrong = outcomes.filter(({ status }) => status !== 'done').map((one) => JSON.stringify(one));
  const { resources } = await store.read('default');
  const recorded = [...resources.values()].map(
    ({ name, providerId, deposed }) => `${name} ${providerId}${deposed.length > 0 ? ' deposed' : ''}`,
  );
  const there = fake.things().map(({ name, id }) => `${name} ${id}`);
  if (recorded.toSorted().join() !== there.toSorted().join()) wrong.push(`recorded ${recorded.join()} but there ${there.join()}`);
  if ([...resources.keys()].toSorted().join() !== [...parts.stack.resources.keys()].toSorted().join())
    wrong.push('not what is wanted');
  const rest = await planStack(parts);
  for (const { kind, resource } of rest.actions) wrong.push(`still to do: ${kind} ${resource}`);
  if ((await store.journal('default')).length > 0) wrong.push('the journal is not empty');
  return wrong;
}

test(`${seeds} stories all end as wanted`, async () => {
  const from = Number(process.env['ERRAND_INFRA_SEED'] ?? 1);
  for (let seed = from; seed < from + seeds; seed++) expect(await story(seed), `seed ${seed}`).toEqual([]);
}, 600_000);
