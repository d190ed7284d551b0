import { expect } from 'vitest';
import type { Attributes, Json } from '@errand/contract';
import type { InfraScenario } from './world.ts';

const deletion: InfraScenario = {
  name: 'what is wanted no longer is deleted once, by its id, also when its provider has nothing else',
  run: async ({ fake, want, make, changes }) => {
    await make({ 'old-vpc': { type: 'infra.vpc', config: { region: 'nyc1' } } });
    const providerId = fake.thing('old-vpc')?.id;
    changes();
    const stack = await want({});
    const { outcomes, failures } = await stack.apply(await stack.plan());
    expect([outcomes.map(({ status }) => status), failures]).toEqual([['done'], []]);
    expect(changes()).toMatchObject([{ method: 'delete', name: 'old-vpc', type: 'infra.vpc', providerId }]);
    expect([fake.things(), (await stack.state()).resources.size]).toEqual([[], 0]);
  },
};

const references: InfraScenario = {
  name: 'what one resource gives reaches another, and a reference to nothing is refused with its line',
  run: async ({ fake, want, make, changes }) => {
    const moduleA = { type: 'infra.vpc', config: { cidr: '10.0.0.0/16', count: 3 } };
    const config = {
      vpc_ref: '${moduleA.id}',
      url: '${moduleA.endpoint}/api',
      count: '${moduleA.count}',
      static_val: 'unchanged',
      price: '$${moduleA.id}',
    };
    await make({ moduleB: { type: 'infra.app', config }, moduleA });
    const { id } = fake.thing('moduleA') ?? {};
    expect(changes().map(({ name }) => name)).toEqual(['moduleA', 'moduleB']);
    expect(fake.received('moduleB')).toStrictEqual({
      vpc_ref: id,
      url: `https://${id}.fake.test/api`,
      count: 3,
      static_val: 'unchanged',
      price: '${moduleA.id}',
    });
    const wrong = want({ moduleB: { type: 'infra.app', config: { vpc_ref: '${missingModule.id}' } } });
    await expect(wrong).rejects.toMatchObject({
      code: 'config/invalid',
      diagnostics: [{ message: /missingModule/, line: expect.any(Number) as number, column: expect.any(Number) as number }],
    });
    expect(changes()).toEqual([]);
  },
};

const cascade: InfraScenario = {
  name: 'the id of a replacement reaches those who refer to it in the same run, the new ones and the old ones',
  run: async ({ fake, want, make, changes }) => {
    const dependent = { type: 'infra.app', config: { vpc_ref: '${parent.id}' } };
    await make({ parent: { type: 'infra.vpc', config: { cidr: '10.0.0.0/16' } }, standing: dependent });
    const old = fake.thing('parent')?.id;
    expect(fake.received('standing')).toEqual({ vpc_ref: old });
    changes();
    const resources = { parent: { type: 'infra.vpc', config: { cidr: '10.1.0.0/16' } }, standing: dependent, fresh: dependent };
    const stack = await want(resources);
    const plan = await stack.plan();
    expect(plan.actions.map(({ kind, resource }) => `${kind} ${resource}`).toSorted()).toEqual([
      'create fresh',
      'replace parent',
      'update standing',
    ]);
    const { outcomes } = await stack.apply(plan);
    expect(outcomes.every(({ status }) => status === 'done')).toBe(true);
    const made = fake.thing('parent')?.id;
    expect(made).not.toBe(old);
    const came = changes();
    expect(came.slice(0, 2)).toMatchObject([
      { method: 'delete', name: 'parent', providerId: old },
      { method: 'create', name: 'parent', config: { cidr: '10.1.0.0/16' } },
    ]);
    expect(came.slice(2).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      { method: 'create', name: 'fresh', config: { vpc_ref: made } },
      { method: 'update', name: 'standing', config: { vpc_ref: made } },
    ]);
    expect(came.length).toBe(4);
    expect((await (await want(resources)).plan()).actions).toEqual([]);
  },
};

const upsert: InfraScenario = {
  name: 'something of that name that nobody of us made is updated where that is allowed, and else left as it is',
  run: async ({ fake, route, want, changes }) => {
    const call = { signal: new AbortController().signal, log: () => {}, key: 'theirs', epoch: 1, secret: async () => '' };
    const spec = { name: 'existing', type: 'infra.compute', config: { region: 'nyc3', note: 'theirs' }, dependsOn: [] };
    const stack = await want({ existing: { type: 'infra.compute', config: { region: 'nyc3', note: 'ours' } } });
    const plan = await stack.plan();
    // It appears after the plan was made, so that the creation runs into it.
    const theirs = await fake.infra.drivers.get('infra.compute')?.create(spec, call);
    changes();
    const { outcomes } = await stack.apply(plan);
    const update = { method: 'update', name: 'existing', providerId: theirs?.providerId, config: { note: 'ours' } };
    if (route.tellsUpserts) {
      expect(outcomes).toMatchObject([{ status: 'done', adopted: true, providerId: theirs?.providerId }]);
      expect(changes()).toMatchObject([{ method: 'create' }, update]);
    } else {
      expect(outcomes).toMatchObject([{ status: 'failed', error: { code: 'provider/conflict' } }]);
      expect(changes()).toMatchObject([{ method: 'create' }]);
      expect([fake.thing('existing')?.config['note'], (await stack.state()).resources.size]).toEqual(['theirs', 0]);
      // Whoever means it says so.
      const meant = await want({ existing: { type: 'infra.compute', config: { region: 'nyc3', note: 'ours' }, adopt: true } });
      const adopted = await meant.apply(await meant.plan());
      expect(adopted.outcomes.every(({ status }) => status === 'done')).toBe(true);
      expect(changes()).toMatchObject([update]);
    }
    expect((await stack.state()).resources.get('existing')?.providerId).toBe(theirs?.providerId);
    expect(fake.things()).toMatchObject([{ id: theirs?.providerId, config: { note: 'ours' } }]);
  },
};

const vm = { vm: { type: 'infra.compute', config: { region: 'nyc3' } } };

const newOutputs: InfraScenario = {
  name: 'a refresh keeps the outputs that are known and finds those that are new',
  run: async ({ fake, want, make, changes }) => {
    await make(vm);
    const stack = await want(vm);
    const { ip, endpoint } = (await stack.state()).resources.get('vm')?.outputs ?? {};
    await stack.push(withoutOutput(await stack.pull(), 'endpoint'), { force: true });
    expect((await stack.state()).resources.get('vm')?.outputs).toEqual({ region: 'nyc3', id: fake.thing('vm')?.id, ip });
    changes();
    expect(await stack.refresh()).toMatchObject({ refreshed: ['vm'], ghosts: [] });
    expect((await stack.state()).resources.get('vm')?.outputs).toMatchObject({ ip, endpoint });
    expect(endpoint).toMatch(/^https:/);
    expect((await stack.plan()).actions).toEqual([]);
    expect(changes()).toEqual([]);
  },
};

/** As an older version of the driver would have left the state. */
function withoutOutput(document: Json, key: string): Json {
  const { resources, ...rest } = document as { readonly resources: readonly { readonly outputs: Attributes }[] } & Attributes;
  return {
    ...rest,
    resources: resources.map((one) => ({
      ...one,
      outputs: Object.fromEntries(Object.entries(one.outputs).filter(([name]) => name !== key)),
    })),
  };
}

const sameAgain: InfraScenario = {
  name: 'reading twice gives the same, and nothing to do',
  run: async ({ fake, want, make, changes }) => {
    await make(vm);
    const stack = await want(vm);
    const seen: unknown[] = [];
    for (const turn of [1, 2]) {
      const before = fake.count('read', 'vm');
      expect(await stack.refresh()).toMatchObject({ ghosts: [] });
      expect(fake.count('read', 'vm'), `turn ${turn}`).toBe(before + 1);
      const { outputs, providerId, status } = (await stack.state()).resources.get('vm') ?? {};
      seen.push({ outputs, providerId, status });
    }
    const { id } = fake.thing('vm') ?? {};
    expect(seen[0]).toMatchObject({ providerId: id, status: 'running', outputs: { region: 'nyc3', id } });
    expect(seen[1]).toStrictEqual(seen[0]);
    changes();
    expect(await stack.plan()).toMatchObject({ actions: [], drift: [], refreshed: [] });
    expect(changes()).toEqual([]);
  },
};

export const applyingScenarios: readonly InfraScenario[] = [deletion, references, cascade, upsert, newOutputs, sameAgain];
