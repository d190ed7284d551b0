// Every service of the public contract: the same question gets the same answer in process and over a socket.
import { describe, expect, test } from 'vitest';
import type {
  Attributes,
  BackendRecord,
  Driver,
  ErrandError,
  Infra,
  MigrationRepair,
  PlanView,
  Requirement,
  ResourceSpec,
  ResourceState,
} from '@errand/contract';
import { createFakeInfra } from '@errand/testkit';
import type { FakeCall, FakeMethod } from '@errand/testkit';
import { throughIac } from '../iac.ts';
import type { FarSide } from '../iac.ts';
import { all, ask, call } from '../stub.ts';

const spec = (name: string, config: Attributes = {}, type = 'fake.thing'): ResourceSpec => ({
  name,
  type,
  config,
  dependsOn: [],
});
const rich: ResourceSpec = {
  ...spec('a', { label: 'ü', list: [1, null, { deep: true }], none: null, tags: ['t'] }),
  size: 'm',
  hints: { cpu: '2', memory: '4Gi' },
  dependsOn: ['b'],
};
const ref = { name: 'a', type: 'fake.thing' };
const state: ResourceState = {
  id: 'i',
  name: 'a',
  type: 'fake.thing',
  provider: 'fake',
  providerRef: 'one',
  providerId: 'thing-1',
  configHash: 'h',
  appliedConfig: { x: 1 },
  appliedConfigSource: 'apply',
  outputs: { y: [2] },
  dependencies: ['b'],
  createdAt: 1_700_000_000_123,
  updatedAt: 1_700_000_000_456,
};
const plan: PlanView = {
  id: 'p',
  createdAt: 1_700_000_000_000,
  desiredHash: 'd',
  inputs: { TOKEN: '0011' },
  actions: [
    { action: 'create', resource: rich, changes: [], resolvedConfigHash: 'r' },
    {
      action: 'update',
      resource: spec('c', { vpc_ref: 'missing' }),
      current: state,
      changes: [{ path: 'x', old: 1, new: null, forceNew: true }],
      resolvedConfigHash: '',
    },
  ],
};
const record: BackendRecord = {
  resourceId: 'r/1',
  resourceType: 'fake.thing',
  provider: 'fake',
  providerRef: 'one',
  providerId: 'thing-1',
  configHash: 'h',
  status: 'active',
  outputs: { a: 1 },
  config: {},
  dependencies: ['b'],
  createdAt: '2024-01-01T00:00:00Z',
  updatedAt: '2024-01-02T00:00:00Z',
  error: '',
};
const repair: MigrationRepair = {
  app: 'app',
  database: 'db',
  image: 'i',
  sourceDirectory: '/m',
  expectedDirtyVersion: '3',
  forceVersion: '2',
  thenUp: true,
  upIfClean: false,
  confirmForce: 'FORCE_MIGRATION_METADATA',
  env: { A: 'b' },
  timeout: 60_000,
};
const requirement: Requirement = {
  key: 'k',
  kind: 'cache',
  source: 's',
  resourceTypeHint: 'infra.cache',
  environment: 'e',
  runtimes: ['ecs', 'digitalocean-app-platform'],
  telemetrySignals: ['traces', 'logs'],
  observabilityBackends: ['otel', 'grafana'],
  deploymentModes: ['sidecar', 'managed'],
  vendorFeatures: ['v'],
  parameters: { p: [1] },
};

/** What is asked, in this order, so that later questions find what earlier ones made. */
const questions: Record<string, { asks: readonly FakeMethod[]; ask: (infra: Infra) => unknown }> = {
  create: { asks: ['create'], ask: ({ drivers }) => drivers.get('fake.thing')?.create(rich, call({ key: 'ü/k', epoch: 7 })) },
  read: { asks: ['read'], ask: ({ drivers }) => drivers.get('fake.thing')?.read(ref, ask()) },
  'read what is not there': {
    asks: ['read'],
    ask: ({ drivers }) => drivers.get('fake.thing')?.read({ ...ref, name: 'x' }, ask()),
  },
  diff: {
    asks: ['diff'],
    ask: async ({ drivers }) => {
      const current = { ...ref, providerId: 'thing-1', outputs: { gone: null, label: 1 }, sensitive: ['gone'], status: '' };
      return await drivers.get('fake.thing')?.diff(spec('a', { label: 2, region: 'x' }), current, ask());
    },
  },
  update: {
    asks: ['update'],
    ask: ({ drivers }) => drivers.get('fake.thing')?.update(ref, spec('a', { label: 3, tags: ['t'] }), call({ key: 'u' })),
  },
  'update what is gone': {
    asks: ['update'],
    ask: ({ drivers }) => drivers.get('fake.thing')?.update({ ...ref, name: 'x' }, spec('x'), call({ key: 'u' })),
  },
  'create what cannot be': {
    asks: ['create'],
    ask: ({ drivers }) => drivers.get('fake.thing')?.create(spec('z', { id: 1 }), call()),
  },
  'create under a name that is taken': {
    asks: ['create'],
    ask: ({ drivers }) => drivers.get('fake.thing')?.create(rich, call({ key: 'other' })),
  },
  scale: {
    asks: ['create', 'scale'],
    ask: async ({ drivers }) => {
      await drivers.get('infra.app')?.create(spec('app', {}, 'infra.app'), call({ key: 'app' }));
      return await drivers.get('infra.app')?.scale?.({ name: 'app', type: 'infra.app' }, 3, call({ key: 's' }));
    },
  },
  health: { asks: ['health'], ask: ({ drivers }) => drivers.get('fake.thing')?.health?.(ref, ask()) },
  troubleshoot: { asks: ['troubleshoot'], ask: ({ drivers }) => drivers.get('fake.thing')?.troubleshoot?.(ref, 'why', ask()) },
  'sensitive keys': { asks: [], ask: async ({ drivers }) => drivers.get('infra.database')?.sensitiveKeys },
  sizing: { asks: ['sizing'], ask: (infra) => infra.sizing?.('fake.thing', 'm', { cpu: '2' }, ask()) },
  import: { asks: ['import'], ask: async (infra) => infra.import?.('fake.thing', await idOf(infra), ask()) },
  'import nothing': { asks: ['import'], ask: (infra) => infra.import?.('fake.thing', 'nothing', ask()) },
  status: { asks: ['status'], ask: (infra) => infra.status?.([ref], ask()) },
  bootstrap: { asks: ['bootstrap'], ask: (infra) => infra.bootstrap?.({ bucket: 'b' }, call({ key: 'b' })) },
  'enumerate all': { asks: ['enumerate'], ask: (infra) => all(infra.enumerator?.all('fake.thing', ask())) },
  'enumerate by tag': { asks: ['byTag'], ask: (infra) => all(infra.enumerator?.byTag('t', ask())) },
  'drift, existence': {
    asks: ['detect'],
    ask: (infra) => infra.driftDetector?.detect([ref, { ...ref, name: 'x' }], new Map(), ask()),
  },
  'drift, config': {
    asks: ['detect'],
    ask: (infra) => infra.driftDetector?.detect([ref], new Map([['a', spec('a', { label: null })]]), ask()),
  },
  revoke: { asks: ['revoke'], ask: (infra) => infra.credentialRevoker?.revoke('s', 'c', call({ key: 'r' })) },
  regions: { asks: ['regions'], ask: (infra) => infra.regionLister?.list('e', ask()) },
  'set owner': { asks: ['setOwner'], ask: (infra) => infra.ownership?.set(ref, 'me', call({ key: 'o' })) },
  'set owner of nothing': { asks: ['setOwner'], ask: (infra) => infra.ownership?.set({ ...ref, name: 'x' }, 'me', call()) },
  'get owner': { asks: ['getOwner'], ask: (infra) => infra.ownership?.get(ref, ask()) },
  'list owners': { asks: ['listOwners'], ask: (infra) => infra.ownership?.list('me', undefined, ask()) },
  finalize: { asks: ['finalize'], ask: (infra) => infra.finalizer?.finalize('p', call({ key: 'f' })) },
  repair: { asks: ['repair'], ask: (infra) => infra.migrationRepairer?.repair(repair, call({ key: 'm' })) },
  validate: { asks: ['validate'], ask: (infra) => infra.validator?.validate(plan, ask()) },
  logs: {
    asks: ['capture'],
    ask: async (infra) => {
      const request = { resource: ref, type: 'deploy', follow: false, tailLines: 2, component: 'web' } as const;
      const chunks = await all(infra.logCapture?.capture(request, ask()));
      return chunks.map(({ bytes, source }) => [Buffer.from(bytes).toString(), source]);
    },
  },
  discover: {
    asks: ['discover'],
    ask: (infra) =>
      infra.requirementDiscovery?.discover(
        { application: 'a', environment: 'e', modules: [{ name: 'm', type: 't', satisfies: ['s'] }], pluginIds: ['p'] },
        { x: 1 },
        ask(),
      ),
  },
  map: {
    asks: ['map'],
    ask: (infra) =>
      infra.requirementMapper?.map(
        {
          provider: 'p',
          runtime: 'cloud-run',
          environment: 'e',
          requirements: [requirement, { ...requirement, kind: 'database' }],
        },
        ask(),
      ),
  },
  'backend names': { asks: [], ask: async (infra) => infra.stateBackend?.names },
  'backend configure': { asks: ['state.configure'], ask: (infra) => infra.stateBackend?.configure('fake', { a: 1 }, call()) },
  'backend of another name': { asks: ['state.configure'], ask: (infra) => infra.stateBackend?.configure('none', {}, call()) },
  'backend save': { asks: ['state.save'], ask: (infra) => infra.stateBackend?.save(record, call()) },
  'backend get': { asks: ['state.get'], ask: (infra) => infra.stateBackend?.get('r/1', ask()) },
  'backend get nothing': { asks: ['state.get'], ask: (infra) => infra.stateBackend?.get('x', ask()) },
  'backend list': { asks: ['state.list'], ask: (infra) => infra.stateBackend?.list({ provider: 'fake' }, ask()) },
  'backend lock': { asks: ['state.lock'], ask: (infra) => infra.stateBackend?.lock('r/1', call({ key: 'l1' })) },
  'backend lock twice': { asks: ['state.lock'], ask: (infra) => infra.stateBackend?.lock('r/1', call({ key: 'l2' })) },
  'backend unlock': { asks: ['state.unlock'], ask: (infra) => infra.stateBackend?.unlock('r/1', call()) },
  'backend delete': { asks: ['state.delete'], ask: (infra) => infra.stateBackend?.delete('r/1', call()) },
  delete: { asks: ['delete'], ask: ({ drivers }) => drivers.get('fake.thing')?.delete(ref, call({ key: 'd' })) },
};

async function idOf(infra: Infra): Promise<string> {
  return (await infra.drivers.get('fake.thing')?.read(ref, ask()))?.providerId ?? '';
}

type Answer = { readonly value: unknown } | { readonly code: string; readonly retry: string };

async function answersOf(infra: Infra): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  for (const [name, question] of Object.entries(questions)) {
    answers[name] = await Promise.resolve(question.ask(infra)).then(
      (value) => ({ value }),
      ({ code, retry }: ErrandError) => ({ code, retry }),
    );
  }
  return answers;
}

const seen = (calls: readonly FakeCall[]) => calls.filter(({ method }) => method !== 'readMany' && method !== 'diffMany');

describe.each(['ours', 'stranger'] satisfies FarSide[])('far side: %s', (far) => {
  test('every answer, error and argument is the same over the wire', async () => {
    const [near, remote] = [createFakeInfra(), createFakeInfra()];
    const expected = await answersOf(near.infra);
    await using connected = await throughIac(remote.infra, { far });
    expect(await answersOf(connected.infra)).toEqual(expected);
    expect(seen(remote.calls)).toEqual(seen(near.calls));
    const asked = new Set(Object.values(questions).flatMap((question) => question.asks));
    expect(Object.values(expected).some((answer) => 'code' in answer)).toBe(true);
    expect(seen(near.calls).filter(({ method }) => !asked.has(method))).toEqual([]);
    expect(new Set(near.calls.map(({ method }) => method))).toEqual(asked);
  });

  test('a facet that the provider has not is not there', async () => {
    const { infra } = createFakeInfra();
    const { drivers } = infra;
    const sizing: Infra['sizing'] = async () => undefined;
    await using connected = await throughIac({ drivers, sizing }, { far });
    expect(await connected.infra.sizing?.('fake.thing', 'm', {}, ask())).toBeUndefined();
    const required = far === 'ours' ? [] : ['bootstrap', 'destroy', 'import', 'status'];
    expect(Object.keys(connected.infra).toSorted()).toEqual(['drivers', 'sizing', ...required].toSorted());
    expect([...connected.infra.drivers.keys()]).toEqual([...drivers.keys()]);
    expect([...connected.services].filter((name) => name.startsWith('workflow.')).toSorted()).toEqual([
      'workflow.plugin.external.iac.IaCProviderRequired',
      'workflow.plugin.external.iac.ResourceDriver',
    ]);
  });

  test('every error of a driver keeps its code', async () => {
    const codes = [
      'provider/not-found',
      'provider/conflict',
      'provider/throttled',
      'provider/unreachable',
      'provider/timeout',
    ] as const;
    const more = ['provider/auth', 'provider/refused', 'provider/image', 'provider/failed', 'environment/unsupported'] as const;
    const fake = createFakeInfra();
    await using connected = await throughIac(fake.infra, { far });
    for (const code of [...codes, ...more]) {
      fake.goodManners();
      fake.rule({ on: 'any', fault: { do: 'refuse', code } });
      const driver = connected.infra.drivers.get('fake.thing');
      await expect(driver?.create(spec('a'), call()), code).rejects.toMatchObject({ code });
      await expect(driver?.update(ref, spec('a'), call()), code).rejects.toMatchObject({ code });
      if (code === 'provider/not-found') continue;
      await expect(driver?.read(ref, ask()), code).rejects.toMatchObject({ code });
    }
  });
});

test('what only ours can say: facts, many at once, the driver’s own ways, talk and secrets', async () => {
  const fake = createFakeInfra({ batches: true });
  await using connected = await throughIac(fake.infra);
  for (const [type, driver] of fake.infra.drivers) {
    const there = connected.infra.drivers.get(type) ?? {};
    expect(Object.keys(there).toSorted()).toEqual(Object.keys(driver).toSorted());
    expect(there).toMatchObject({
      ...(driver.upserts && { upserts: true }),
      ...(driver.sensitiveKeys && { sensitiveKeys: driver.sensitiveKeys }),
    });
  }
  const driver = connected.infra.drivers.get('fake.replacer');
  expect(await driver?.adopt?.(spec('n', {}, 'fake.replacer'))).toEqual({ name: 'n', type: 'fake.replacer' });
  const secrets: string[] = [];
  const secret = async (reference: string) => {
    secrets.push(reference);
    return 'plain';
  };
  const made = await driver?.create(spec('n', { password: 'secret://env/P' }, 'fake.replacer'), call({ secret, key: 'k' }));
  expect(made?.outputs['password']).toBe('secret://env/P');
  expect(fake.received('n')).toEqual({ password: 'secret://env/P' });
  expect(secrets).toEqual(['secret://env/P']);
  const replaced = await driver?.replace?.(
    { name: 'n', type: 'fake.replacer' },
    spec('n', { x: 1 }, 'fake.replacer'),
    call({ key: 'k2' }),
  );
  expect(replaced?.outputs['x']).toBe(1);
  const things = connected.infra.drivers.get('fake.thing');
  const names = Array.from({ length: 1201 }, (_, at) => `t${at}`);
  await Promise.all(names.slice(0, 40).map(async (name) => await things?.create(spec(name, { name }), call({ key: name }))));
  const refs = names.map((name) => ({ name, type: 'fake.thing' }));
  const outputs = (await things?.readMany?.(refs, ask())) ?? [];
  expect(outputs.map((one) => one?.name)).toEqual(names.map((name, at) => (at < 40 ? name : undefined)));
  const pairs = outputs.slice(0, 40).map((current, at) => ({
    desired: spec(`t${at}`, { name: `t${at}`, ...(at % 2 === 1 && { more: at }) }),
    current: current ?? { ...ref, providerId: '', outputs: {}, sensitive: [], status: '' },
  }));
  const diffs = await things?.diffMany?.(pairs, ask());
  expect(diffs?.map(({ needsUpdate }) => needsUpdate)).toEqual(pairs.map((_, at) => at % 2 === 1));
  expect(fake.count('readMany')).toBe(3);
});

test('a stranger gets values instead of references, and keeps the adoption rules of its hosts', async () => {
  const fake = createFakeInfra();
  await using connected = await throughIac(fake.infra, { far: 'stranger' });
  const driver = connected.infra.drivers.get('fake.thing');
  const config = { password: 'secret://env/P', list: [{ token: 'secret://file/t' }], plain: 'text' };
  await driver?.create(spec('n', config), call({ secret: async (reference) => `value of ${reference}` }));
  expect(fake.received('n')).toEqual({
    password: 'value of secret://env/P',
    list: [{ token: 'value of secret://file/t' }],
    plain: 'text',
  });
  expect(await driver?.adopt?.(spec('n'))).toBeUndefined();
  expect(await driver?.adopt?.(spec('n', { adopt_existing: true }))).toEqual({ name: 'n', type: 'fake.thing' });
  const zone = spec('zone', { domain: 'example.test' }, 'infra.dns');
  expect(await driver?.adopt?.(zone)).toEqual({ name: 'zone', type: 'infra.dns', providerId: 'example.test' });
  expect(Object.keys(driver ?? {})).not.toEqual(expect.arrayContaining(['readMany']));
  expect(Object.keys(driver ?? {})).not.toEqual(expect.arrayContaining(['replace']));
});

test('the config comes with Initialize, once, with its secrets resolved; what there is can be asked before', async () => {
  const [preview, opened] = [createFakeInfra(), createFakeInfra()];
  const configs: unknown[] = [];
  const open = async (config: unknown) => {
    configs.push(config);
    return {
      capabilities: {} as never,
      infra: opened.infra,
      [Symbol.asyncDispose]: async () => void configs.push('closed'),
    };
  };
  {
    const secret = async () => 'value';
    const config = { region: 'x', token: 'secret://env/T' };
    await using connected = await throughIac(preview.infra, { serve: { open }, connect: { config, secret } });
    await connected.infra.drivers.get('fake.thing')?.create(spec('n'), call());
    expect(connected.served).toEqual({ name: 'tested', version: '1.2.3' });
  }
  expect(opened.count('create')).toBe(1);
  expect(preview.calls).toEqual([]);
  expect(configs).toEqual([{ region: 'x', token: 'value' }, 'closed']);
});

test('talk of a driver reaches the caller, and its signal the driver', async () => {
  const { infra } = createFakeInfra();
  const plain = infra.drivers.get('fake.thing');
  if (!plain) throw new Error('there is no driver');
  const gone = Promise.withResolvers<unknown>();
  const talking: Driver = {
    ...plain,
    create: async (wanted, { log, signal }) => {
      log(`making ${wanted.name}`);
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          gone.resolve(signal.reason);
          reject(signal.reason as Error);
        });
      });
    },
  };
  await using connected = await throughIac({ ...infra, drivers: new Map([['fake.thing', talking]]) });
  const stop = new AbortController();
  const log = (line: string) => stop.abort(new Error(`heard: ${line}`));
  const making = connected.infra.drivers.get('fake.thing')?.create(spec('n'), call({ log, signal: stop.signal }));
  await expect(making).rejects.toThrow('heard: making n');
  expect(await gone.promise).toMatchObject({ code: 'provider/unreachable' });
});
