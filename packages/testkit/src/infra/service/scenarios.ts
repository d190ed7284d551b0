import { randomBytes } from 'node:crypto';
import type { BackendRecord, Infra } from '@errand/contract';
import { expect } from '../../expect.ts';
import type { DriverWorld } from '../driver/world.ts';
import type { ServiceWorld } from './world.ts';

export interface ServiceScenario {
  readonly name: string;
  /** It is tried where this is offered. */
  readonly facet: Exclude<keyof Infra, 'drivers' | 'canonicalKeys'>;
  /** What it needs beside that; undefined when all is there. */
  readonly unless?: (world: ServiceWorld) => string | undefined;
  readonly run: (world: ServiceWorld) => Promise<void>;
}

const needsSample = ({ resources }: ServiceWorld) => (resources ? undefined : 'there is no sample of a resource');

function resourcesOf({ resources }: ServiceWorld): DriverWorld {
  if (!resources) throw new Error('there is no sample of a resource');
  return resources;
}

async function all<T>(source: AsyncIterable<T> | undefined): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source ?? []) found.push(one);
  return found;
}

export const status: ServiceScenario = {
  name: 'status tells of what is there',
  facet: 'status',
  unless: needsSample,
  async run(world) {
    const { make, ref } = resourcesOf(world);
    const made = await make();
    const seen = await world.infra.status?.([ref(made)], world.ask);
    expect(seen?.map(({ name, providerId }) => ({ name, providerId }))).toEqual([
      { name: made.name, providerId: made.providerId },
    ]);
  },
};

export const enumerated: ServiceScenario = {
  name: 'the enumerator lists what was created with its name and id, and no more once it is deleted',
  facet: 'enumerator',
  unless: needsSample,
  async run(world) {
    const { make, ref, driver, call, sample } = resourcesOf(world);
    const made = await make();
    const ids = async () => (await all(world.infra.enumerator?.all(sample.type, world.ask))).map((one) => one.providerId);
    expect(await ids()).toContain(made.providerId);
    await driver.delete(ref(made), call());
    expect(await ids()).not.toContain(made.providerId);
  },
};

export const owned: ServiceScenario = {
  name: 'an owner that was set is told and listed, and setting it twice is fine',
  facet: 'ownership',
  unless: needsSample,
  async run(world) {
    const { make, ref } = resourcesOf(world);
    const made = await make();
    const owner = `owner-${randomBytes(4).toString('hex')}`;
    const { ownership } = world.infra;
    expect((await ownership?.get(ref(made), world.ask))?.owner).toBe('');
    for (const call of [world.call(), world.call()]) await ownership?.set(ref(made), owner, call);
    expect((await ownership?.get(ref(made), world.ask))?.owner).toBe(owner);
    const listed = await ownership?.list(owner, made.type, world.ask);
    expect(listed?.map((one) => one.ref.providerId)).toEqual([made.providerId]);
  },
};

export const drifted: ServiceScenario = {
  name: 'what is as it should be is in sync, and what is gone is a ghost',
  facet: 'driftDetector',
  unless: needsSample,
  async run(world) {
    const { make, ref, driver, call, spec } = resourcesOf(world);
    const wanted = spec();
    const made = await make(wanted);
    const look = () => world.infra.driftDetector?.detect([ref(made)], new Map([[wanted.name, wanted]]), world.ask);
    expect(await look()).toMatchObject([{ name: made.name, drifted: false, class: 'in-sync' }]);
    await driver.delete(ref(made), call());
    expect(await look()).toMatchObject([{ name: made.name, drifted: true, class: 'ghost' }]);
  },
};

export const regions: ServiceScenario = {
  name: 'regions have names, each its own',
  facet: 'regionLister',
  async run({ infra, ask }) {
    const names = ((await infra.regionLister?.list('', ask)) ?? []).map(({ name }) => name);
    expect(names.filter((name) => name === '')).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  },
};

export const validated: ServiceScenario = {
  name: 'a plan without actions has nothing wrong with it',
  facet: 'validator',
  async run({ infra, ask }) {
    const plan = { id: 'conformance', createdAt: 1_700_000_000_000, desiredHash: '', inputs: {}, actions: [] };
    const found = (await infra.validator?.validate(plan, ask)) ?? [];
    expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
  },
};

export const finalized: ServiceScenario = {
  name: 'a plan without actions is finalized without failures, twice too',
  facet: 'finalizer',
  async run({ infra, call }) {
    expect(await infra.finalizer?.finalize('conformance', call())).toEqual([]);
    expect(await infra.finalizer?.finalize('conformance', call())).toEqual([]);
  },
};

export const stored: ServiceScenario = {
  name: 'a record is read back as it was saved, listed, locked by one, and gone when it is deleted',
  facet: 'stateBackend',
  unless: ({ subject }) => (subject.stateBackend ? undefined : 'there is no sample of a state backend'),
  async run({ infra: { stateBackend }, subject, ask, call }) {
    const { name, config } = subject.stateBackend ?? { name: '', config: {} };
    expect(stateBackend?.names).toContain(name);
    await stateBackend?.configure(name, config, call());
    const saved = record(`t-${randomBytes(6).toString('hex')}`);
    await stateBackend?.save(saved, call());
    expect(await stateBackend?.get(saved.resourceId, ask)).toEqual(saved);
    expect((await stateBackend?.list({}, ask))?.map((one) => one.resourceId)).toContain(saved.resourceId);
    await stateBackend?.lock(saved.resourceId, call());
    await expect(stateBackend?.lock(saved.resourceId, call())).rejects.toMatchObject({ code: 'provider/conflict' });
    await stateBackend?.unlock(saved.resourceId, call());
    await stateBackend?.delete(saved.resourceId, call());
    await stateBackend?.delete(saved.resourceId, call());
    expect(await stateBackend?.get(saved.resourceId, ask)).toBeUndefined();
  },
};

function record(resourceId: string): BackendRecord {
  return {
    resourceId,
    resourceType: 'conformance.thing',
    provider: 'conformance',
    providerRef: 'main',
    providerId: 'id-1',
    configHash: 'h',
    status: 'active',
    outputs: { deep: { list: [1, 'two', null] } },
    config: { a: true },
    dependencies: ['other'],
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-02T03:04:06Z',
    error: '',
  };
}
