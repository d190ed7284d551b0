// A Go provider on the public contract's own SDK, driven by our host through every service that the contract has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ask, CapturedLog, Driver, Infra, JobSpec, ResourceSpec, SecretCall } from '@errand/contract';
import { jobRunner } from '../../src/ephemeral/job-runner.ts';
import { connectIac } from '../../src/iac/connect.ts';
import type { ConnectedIac } from '../../src/iac/connect.ts';
import { file_workflow_plugin_external_iac_iac } from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { launchPlugin } from '../../src/launch/launch.ts';
import type { LaunchedPlugin } from '../../src/launch/launch.ts';
import { createBed, expectNothingLeft } from '../bed.ts';
import type { Bed } from '../bed.ts';
import { buildGoPrograms } from './go.ts';
import type { GoPrograms } from './go.ts';

const ask: Ask = { signal: new AbortController().signal, log: () => undefined };
let calls = 0;
const call = (): SecretCall => ({ ...ask, key: `key-${calls++}`, epoch: 1, secret: async (reference) => `plain ${reference}` });

let built: GoPrograms | string = 'not built';
let bed: Bed;
let plugin: LaunchedPlugin;
let connected: ConnectedIac;
let infra: Infra;

const connect = (config: object) => {
  const { address, credentials, options } = plugin.connection;
  return connectIac({ name: 'memory', address, credentials, channel: options, config: config as never });
};

beforeAll(async () => {
  built = await buildGoPrograms('sdk');
  if (typeof built === 'string') return;
  bed = await createBed();
  plugin = await launchPlugin(bed.options(await bed.program([built.plugin], 'memory')));
  connected = await connect({ region: 'here' });
  infra = connected.infra;
});
afterAll(async () => {
  if (typeof built === 'string') return;
  await connected[Symbol.asyncDispose]();
  await plugin.stop();
  await expectNothingLeft(bed);
  await bed[Symbol.asyncDispose]();
  await built[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (typeof built === 'string') context.skip(built);
});

function driverOf(type: string): Driver {
  const driver = infra.drivers.get(type);
  if (!driver) throw new Error(`no driver for ${type}`);
  return driver;
}

function spec(name: string, config: ResourceSpec['config'] = {}): ResourceSpec {
  return { name, type: 'memory.thing', config, dependsOn: [] };
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
}

test('it advertises every service of the contract, over mutual TLS, and says who it is', () => {
  const names = file_workflow_plugin_external_iac_iac.services.map(({ typeName }) => typeName);
  expect([...connected.services].toSorted()).toEqual(names.toSorted());
  expect(names).toHaveLength(17);
  expect(plugin.secure).toBe(true);
  expect(connected.served).toEqual({ name: 'memory', version: '1.2.3' });
  expect([...infra.drivers.keys()]).toEqual(['memory.thing', 'infra.database']);
  expect(infra.canonicalKeys).toEqual(['region', 'size', 'engine']);
});

test('a config that it does not take is told by its kind', async () => {
  await expect(connect({ token: 'wrong' })).rejects.toMatchObject({ code: 'provider/auth' });
  await (await connect({ token: 'right', region: 'here' }))[Symbol.asyncDispose]();
});

describe('drivers', () => {
  test('create, read, diff, update, scale, health, troubleshoot, delete', async () => {
    const driver = driverOf('memory.thing');
    const wanted = spec('life', { engine: 'a', count: 2, nested: { list: [1, 'two', null] } });
    const made = await driver.create(wanted, call());
    expect(made).toMatchObject({ name: 'life', type: 'memory.thing', status: 'running', sensitive: ['password'] });
    expect(made.outputs).toEqual({ ...wanted.config, password: 'hunter2', endpoint: 'life.memory' });
    const ref = { name: made.name, type: made.type, providerId: made.providerId };
    expect(await driver.read(ref, ask)).toEqual(made);
    expect(await driver.diff(wanted, made, ask)).toEqual({ needsUpdate: false, needsReplace: false, changes: [] });
    const other = spec('life', { ...wanted.config, engine: 'b' });
    expect(await driver.diff(other, made, ask)).toEqual({
      needsUpdate: true,
      needsReplace: true,
      changes: [{ path: 'engine', old: 'a', new: 'b', forceNew: true }],
    });
    expect((await driver.update(ref, other, call())).outputs).toMatchObject({ engine: 'b' });
    expect((await driver.scale?.(ref, 5, call()))?.outputs).toMatchObject({ replicas: 5 });
    expect(await driver.health?.(ref, ask)).toEqual({ healthy: true, message: 'as it should be' });
    const [finding] = (await driver.troubleshoot?.(ref, 'it is slow', ask)) ?? [];
    expect(finding).toMatchObject({ id: 'd-1', cause: 'it is slow', at: 1_700_000_000_000 });
    expect(driver.sensitiveKeys).toEqual(['password']);
    await driver.delete(ref, call());
    await driver.delete(ref, call());
    expect(await driver.read(ref, ask)).toBeUndefined();
    expect(await driver.health?.(ref, ask)).toMatchObject({ healthy: false });
    await expect(driver.update(ref, other, call())).rejects.toMatchObject({ code: 'provider/not-found' });
  });

  test.each([
    ['throttled', 'provider/throttled'],
    ['transient', 'provider/unreachable'],
    ['forbidden', 'provider/auth'],
    ['invalid', 'provider/refused'],
    ['image', 'provider/image'],
    ['by status', 'provider/throttled'],
  ])('an error that is %s is %s', async (fail, code) => {
    await expect(driverOf('memory.thing').create(spec('never', { fail }), call())).rejects.toMatchObject({ code });
  });

  test('the same name again is a conflict', async () => {
    const driver = driverOf('memory.thing');
    await driver.create(spec('twice'), call());
    await expect(driver.create(spec('twice'), call())).rejects.toMatchObject({ code: 'provider/conflict' });
    await driver.delete({ name: 'twice', type: 'memory.thing' }, call());
  });

  test('200 resources at once', async () => {
    const driver = driverOf('memory.thing');
    const made = await Promise.all(Array.from({ length: 200 }, (_, n) => driver.create(spec(`many-${n}`), call())));
    expect(new Set(made.map(({ providerId }) => providerId)).size).toBe(200);
    await Promise.all(made.map(({ name, type, providerId }) => driver.delete({ name, type, providerId }, call())));
  });
});

test('the required service: sizing, status, import, destroy, bootstrap', async () => {
  const { providerId } = await driverOf('memory.thing').create(spec('listed'), call());
  const ref = { name: 'listed', type: 'memory.thing', providerId };
  expect(await infra.sizing?.('memory.thing', 'm', { memory: '4Gi' }, ask)).toEqual({
    instanceType: 'mem-m',
    specs: { cpu: 2, memory: '4Gi' },
  });
  expect(await infra.status?.([ref, { ...ref, providerId: 'none' }], ask)).toMatchObject([
    { name: 'listed', providerId, status: 'running' },
  ]);
  expect(await infra.import?.('memory.thing', providerId, ask)).toMatchObject({ name: 'listed', provider: 'memory', providerId });
  expect(await infra.import?.('memory.thing', 'none', ask)).toBeUndefined();
  expect(await infra.destroy?.([ref, { name: 'gone', type: 'memory.thing', providerId: 'none' }], call())).toMatchObject({
    destroyed: ['listed'],
    errors: [{ resource: 'gone', action: 'delete' }],
  });
  expect(await infra.bootstrap?.({}, call())).toMatchObject({ bucket: 'states', env: { STATE_BUCKET: 'states' } });
});

test('enumerator, ownership and drift detector', async () => {
  const driver = driverOf('memory.thing');
  const { name, type, providerId } = await driver.create(spec('owned', { tag: 'old' }), call());
  const ref = { name, type, providerId };
  expect((await all(infra.enumerator?.all(type, ask) ?? none())).map((one) => one.name)).toEqual(['owned']);
  await expect(all(infra.enumerator?.all('no.type', ask) ?? none())).rejects.toMatchObject({ code: 'provider/refused' });
  expect(await all(infra.enumerator?.byTag('old', ask) ?? none())).toEqual([ref]);
  expect(await infra.ownership?.get(ref, ask)).toEqual({ owner: '', source: 'memory' });
  await infra.ownership?.set(ref, 'team', call());
  expect(await infra.ownership?.list('team', undefined, ask)).toEqual([{ ref, owner: 'team', source: 'memory' }]);
  expect(await infra.ownership?.list('team', 'infra.database', ask)).toEqual([]);
  const ghost = { name: 'ghost', type, providerId: 'none' };
  expect(await infra.driftDetector?.detect([ref, ghost], new Map(), ask)).toMatchObject([
    { name, drifted: false, class: 'in-sync' },
    { name: 'ghost', drifted: true, class: 'ghost' },
  ]);
  const specs = new Map([[name, spec(name, { tag: 'new' })]]);
  expect(await infra.driftDetector?.detect([ref], specs, ask)).toMatchObject([
    { drifted: true, class: 'config', fields: ['tag'], expected: { tag: 'new' } },
  ]);
  await driver.delete(ref, call());
});

async function* none(): AsyncGenerator<never> {}

test('credential revoker, finalizer and region lister', async () => {
  await infra.credentialRevoker?.revoke('cloud', 'c-1', call());
  expect(await infra.finalizer?.finalize('plan-7', call())).toEqual([]);
  expect(await infra.finalizer?.finalize('bad', call())).toEqual([{ resource: 'db', action: 'finalize', error: 'it would not' }]);
  expect(await infra.regionLister?.list('prod', ask)).toEqual([
    { name: 'here', displayName: 'where prod is' },
    { name: 'revoked', displayName: 'cloud/c-1' },
    { name: 'finalized', displayName: 'plan-7 bad' },
  ]);
});

test('validator, migration repairer and log capture', async () => {
  const action = {
    action: 'create',
    resource: spec('db', { vpc_ref: 'missing-vpc' }),
    changes: [],
    resolvedConfigHash: '',
  } as const;
  const plan = { id: 'p', createdAt: 1_700_000_000_000, desiredHash: 'h', inputs: {}, actions: [action] };
  expect(await infra.validator?.validate(plan, ask)).toEqual([
    { severity: 'error', resource: 'db', field: 'vpc_ref', message: 'there is no such network' },
  ]);
  const repair = {
    app: 'app',
    database: 'db',
    image: 'i',
    sourceDirectory: 'm',
    expectedDirtyVersion: '3',
    forceVersion: '2',
    thenUp: true,
    upIfClean: false,
    confirmForce: 'FORCE_MIGRATION_METADATA',
    env: {},
  };
  expect(await infra.migrationRepairer?.repair(repair, call())).toMatchObject({
    jobId: 'job-9',
    status: 'succeeded',
    applied: ['2'],
    logs: 'repaired db',
  });
  await expect(infra.migrationRepairer?.repair({ ...repair, confirmForce: '' }, call())).rejects.toMatchObject({
    code: 'provider/refused',
  });
  const resource = { name: 'db', type: 'infra.database', providerId: 'x' };
  const chunks: CapturedLog[] = await all(infra.logCapture?.capture({ resource, type: 'deploy', follow: false }, ask) ?? none());
  expect(chunks.map(({ bytes }) => Buffer.from(bytes).toString()).join('')).toBe('one\ntwo\nLOG_CAPTURE_TYPE_DEPLOY\n');
  expect(new Set(chunks.map(({ source }) => source))).toEqual(new Set(['db']));
});

test('requirement discovery and mapper', async () => {
  const context = { application: 'shop', environment: 'prod', modules: [], pluginIds: [] };
  const found = (await infra.requirementDiscovery?.discover(context, {}, ask)) ?? [];
  expect(found).toMatchObject([
    { key: 'db', kind: 'database', source: 'shop', runtimes: ['kubernetes'], parameters: { modules: 0 } },
  ]);
  const cache = found.map((one) => ({ ...one, key: 'cache', kind: 'cache' as const }));
  const request = { provider: 'memory', environment: 'prod', requirements: [...found, ...cache] };
  expect(await infra.requirementMapper?.map(request, ask)).toMatchObject({
    acceptedKeys: ['db'],
    rejected: [{ key: 'cache', code: 'unsupported' }],
    modules: [{ name: 'db', type: 'infra.database', config: { engine: 'postgres' } }],
  });
});

test('state backend', async () => {
  const backend = infra.stateBackend;
  expect(backend?.names).toEqual(['memory']);
  await expect(backend?.save(record('a'), call())).rejects.toMatchObject({ code: 'provider/refused' });
  await backend?.configure('memory', { bucket: 'b' }, call());
  await backend?.save(record('a'), call());
  await backend?.save({ ...record('b'), resourceType: 'infra.database' }, call());
  expect(await backend?.get('a', ask)).toEqual(record('a'));
  expect(await backend?.get('none', ask)).toBeUndefined();
  expect((await backend?.list({}, ask))?.map(({ resourceId }) => resourceId)).toEqual(['a', 'b']);
  expect(await backend?.list({ resource_type: 'infra.database' }, ask)).toHaveLength(1);
  await backend?.lock('a', call());
  await expect(backend?.lock('a', call())).rejects.toMatchObject({ code: 'provider/conflict' });
  await backend?.unlock('a', call());
  await backend?.lock('a', call());
  await backend?.delete('a', call());
  await backend?.delete('a', call());
  expect(await backend?.get('a', ask)).toBeUndefined();
});

function record(resourceId: string) {
  return {
    resourceId,
    resourceType: 'memory.thing',
    provider: 'memory',
    providerRef: 'main',
    providerId: 'mem-1',
    configHash: 'h',
    status: 'active',
    outputs: { deep: { list: [1, null] } },
    config: {},
    dependencies: ['b'],
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-02T03:04:06Z',
    error: '',
  };
}

describe('jobs', () => {
  const job = (command: JobSpec['command'], more: Partial<JobSpec> = {}): JobSpec => ({
    owner: 'tests',
    command,
    env: {},
    secretEnv: {},
    resources: {},
    grace: 1000,
    labels: {},
    options: {},
    ...more,
  });

  test('argv, environment, secrets by reference, both streams and the exit', async () => {
    const runner = jobRunner(connected.link, connected.services);
    const argv = ['/bin/sh', '-c', 'printf "%s|" "$@" "$PLAIN" "$HIDDEN"; echo bad >&2; exit 7', 'sh', "it's", 'a  b', ''];
    const asJob = job({ argv }, { env: { PLAIN: 'x y' }, secretEnv: { HIDDEN: 'secret://a/b' } });
    const [key, asked] = ['argv', call()];
    const handle = await runner.start(asJob, { ...asked, key });
    // The second one is refused for its name and finds the first by it.
    const adopted = await runner.start(asJob, { ...asked, key });
    expect(await runner.wait({ key, handle: adopted }, ask)).toMatchObject({ kind: 'exited', code: 7 });
    expect(await runner.wait({ key, handle }, ask)).toMatchObject({ kind: 'exited', code: 7 });
    const chunks = await all(runner.logs({ key, handle }, undefined, ask));
    const text = (stream: string) => Buffer.concat(chunks.filter((one) => one.stream === stream).map((one) => one.bytes));
    expect(text('stdout').toString()).toBe("it's|a  b||x y|plaintext of secret://a/b|");
    expect(text('stderr').toString()).toBe('bad\n');
  });

  test('output while it runs, and an end when it is cancelled', async () => {
    const runner = jobRunner(connected.link, connected.services);
    const key = 'cancelled';
    const handle = await runner.start(job({ script: 'echo up; sleep 60' }), { ...call(), key });
    for await (const { bytes } of runner.logs({ key, handle }, undefined, ask)) {
      expect(Buffer.from(bytes).toString()).toBe('up\n');
      break;
    }
    await runner.stop({ key, handle }, 'force', call());
    expect(await runner.wait({ key, handle }, ask)).not.toMatchObject({ kind: 'exited', code: 0 });
  });

  test('a job that it never knew is lost, and fine to stop, although its errors have no status of their own', async () => {
    const runner = jobRunner(connected.link, connected.services, { unknown: 200 });
    expect(await runner.wait({ key: 'never-was' }, ask)).toMatchObject({ kind: 'lost' });
    await runner.stop({ key: 'never-was' }, 'force', call());
  });

  test('a fresh runner goes on with the handle alone', async () => {
    const key = 'again';
    const handle = await jobRunner(connected.link, connected.services).start(job({ script: 'echo out; sleep 0.3' }), {
      ...call(),
      key,
    });
    const fresh = jobRunner(connected.link, connected.services);
    const stored = JSON.parse(JSON.stringify(handle)) as typeof handle;
    expect(await fresh.wait({ key, handle: stored }, ask)).toMatchObject({ kind: 'exited', code: 0 });
    expect(
      Buffer.concat((await all(fresh.logs({ key, handle: stored }, undefined, ask))).map((one) => one.bytes)).toString(),
    ).toBe('out\n');
  });
});
