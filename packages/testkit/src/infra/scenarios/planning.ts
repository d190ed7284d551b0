import { expect } from 'vitest';
import type { InfraScenario } from './world.ts';

const replacement: InfraScenario = {
  name: 'what the driver cannot change in place is planned as one replacement',
  run: async ({ fake, want, make, changes }) => {
    await make({ vpc: { type: 'infra.vpc', config: { region: 'nyc1' } } });
    changes();
    const plan = await (await want({ vpc: { type: 'infra.vpc', config: { region: 'nyc3' } } })).plan();
    expect(plan.actions.map(({ kind, resource }) => [kind, resource])).toEqual([['replace', 'vpc']]);
    expect(plan.actions[0]?.changes).toMatchObject([{ path: 'region', old: 'nyc1', new: 'nyc3', forceNew: true }]);
    const compared = fake.calls.filter(({ method }) => method === 'diff');
    expect(compared).toMatchObject([
      { name: 'vpc', config: { region: 'nyc3' }, args: { providerId: fake.thing('vpc')?.id, outputs: { region: 'nyc1' } } },
    ]);
    expect(changes()).toEqual([]);
  },
};

const kinds = {
  text: 'grüße ${x}',
  count: 42,
  largest: 9_007_199_254_740_991,
  ratio: 3.14,
  yes: true,
  no: false,
  nothing: null,
  list: ['a', 'b', 7, null],
  nested: { deep: { list: [1, { x: null, y: [] }] }, empty: {}, text: 'in "quotes"' },
};
const written = { ...kinds, text: 'grüße $${x}' };

const everyKind: InfraScenario = {
  name: 'every kind of value comes to a comparison as it was, and the difference comes back whole',
  run: async ({ fake, want, make }) => {
    await make({ 'vpc-grpc': { type: 'infra.vpc', config: { ...written, region: 'nyc1' } } });
    expect(fake.received('vpc-grpc')).toStrictEqual({ ...kinds, region: 'nyc1' });
    const changed = { ...written, region: 'nyc3', count: 43, nothing: 'something', list: [], nested: { deep: null } };
    const stack = await want({ 'vpc-grpc': { type: 'infra.vpc', config: changed } });
    const plan = await stack.plan();

    const asked = fake.calls.find(({ method }) => method === 'diff');
    const { id } = fake.thing('vpc-grpc') ?? {};
    expect(asked?.config).toStrictEqual({ ...changed, text: kinds.text });
    expect(asked?.args).toStrictEqual({
      name: 'vpc-grpc',
      type: 'infra.vpc',
      providerId: id,
      outputs: { ...kinds, region: 'nyc1', id, endpoint: `https://${id}.fake.test` },
      sensitive: [],
      status: 'running',
    });
    const shown = (path: 'region' | 'count' | 'nothing' | 'list' | 'nested', forceNew = false) => ({
      path,
      old: path === 'region' ? 'nyc1' : kinds[path],
      new: changed[path],
      forceNew,
      sensitive: false,
      unknown: false,
    });
    const changes = plan.actions.flatMap((action) => action.changes).toSorted((a, b) => (a.path < b.path ? -1 : 1));
    expect(changes).toStrictEqual([shown('count'), shown('list'), shown('nested'), shown('nothing'), shown('region', true)]);
  },
};

const staleInput: InfraScenario = {
  name: 'a plan whose input changed is refused, with its name and both fingerprints',
  run: async ({ want, changes }) => {
    const app = { app: { type: 'infra.app', config: { url: '${env:DATABASE_URL}' } } };
    const before = await (await want(app, { DATABASE_URL: 'postgres://one' })).plan();
    const later = await want(app, { DATABASE_URL: 'postgres://two' });
    const fingerprints = [before, await later.plan()].map(({ inputs }) => inputs['env:DATABASE_URL'] ?? 'none');
    expect(new Set(fingerprints).size).toBe(2);
    const refused = later.apply(before);
    await expect(refused).rejects.toMatchObject({ code: 'infra/stale-plan' });
    for (const part of ['env:DATABASE_URL', ...fingerprints]) await expect(refused).rejects.toThrow(part);
    await expect(refused).rejects.not.toThrow('postgres://');
    expect(changes()).toEqual([]);
  },
};

const rejection: InfraScenario = {
  name: 'what the validator rejects is told with the plan, and the plan cannot be applied',
  run: async ({ fake, want, changes }) => {
    const stack = await want({ db: { type: 'infra.database', config: { vpc_ref: 'missing-vpc' } } });
    const plan = await stack.plan();
    const asked = fake.calls.find(({ method }) => method === 'validate')?.args;
    expect(asked).toMatchObject({
      actions: [{ action: 'create', resource: { name: 'db', config: { vpc_ref: 'missing-vpc' } } }],
    });
    expect(plan.diagnostics.some(({ severity }) => severity === 'error')).toBe(true);
    for (const one of plan.diagnostics) expect(one.message).not.toBe('');
    expect(plan.diagnostics).toMatchObject([{ resource: 'db', provider: 'cloud', message: /missing-vpc/ }]);
    await expect(stack.apply(plan)).rejects.toMatchObject({ code: 'infra/invalid', message: /missing-vpc/ });
    expect(changes()).toEqual([]);
  },
};

const guarded = { type: 'infra.database', protected: true };

const protectedOne: InfraScenario = {
  name: 'a protected resource is not replaced, and the way to do it all the same is named',
  run: async ({ fake, want, make, changes }) => {
    await make({ 'prod-db': { ...guarded, config: { engine: 'postgres' } } });
    changes();
    const stack = await want({ 'prod-db': { ...guarded, config: { engine: 'mysql' } } });
    await expect(stack.apply(await stack.plan())).rejects.toMatchObject({
      code: 'infra/protected',
      message: /prod-db \(replace\)/,
      next: /--allow prod-db/,
    });
    // Neither is it by taking the word out of the file.
    const bare = await want({ 'prod-db': { type: 'infra.database', config: { engine: 'mysql' } } });
    await expect(bare.apply(await bare.plan())).rejects.toMatchObject({ code: 'infra/protected' });
    expect(changes()).toEqual([]);
    expect(fake.thing('prod-db')?.config).toEqual({ engine: 'postgres' });
  },
};

const allowed: InfraScenario = {
  name: 'a protected resource is replaced when it is named, and only then',
  run: async ({ fake, want, make, changes }) => {
    await make({ 'prod-db': { ...guarded, config: { engine: 'postgres' } } });
    const old = fake.thing('prod-db')?.id;
    changes();
    const stack = await want({ 'prod-db': { ...guarded, config: { engine: 'mysql' } } });
    const plan = await stack.plan();
    await expect(stack.apply(plan, { allow: ['some-other-resource'] })).rejects.toMatchObject({ code: 'infra/protected' });
    expect(changes()).toEqual([]);
    const { outcomes } = await stack.apply(plan, { allow: ['prod-db'] });
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(changes().map(({ method, providerId }) => [method, providerId])).toEqual([
      ['delete', old],
      ['create', undefined],
    ]);
    expect(fake.thing('prod-db')).toMatchObject({ config: { engine: 'mysql' } });
  },
};

export const planningScenarios: readonly InfraScenario[] = [replacement, everyKind, staleInput, rejection, protectedOne, allowed];
