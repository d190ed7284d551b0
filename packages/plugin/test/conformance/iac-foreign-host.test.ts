// A host that knows nothing of ours, as the Go ones: no headers, no config before Initialize, errors by code and text.
import { Client, credentials, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import type { Infra, Json, Provider } from '@errand/contract';
import { createFakeInfra } from '@errand/testkit';
import * as iac from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { ContractMode, PluginService } from '../../src/gen/workflow/plugin/v1/plugin_pb.js';
import { serveIac } from '../../src/iac/serve.ts';
import type { ServeIacOptions } from '../../src/iac/serve.ts';
import { methodDefinition } from '../../src/wire/definition.ts';
import { listen } from '../served.ts';
import { capabilities } from '../stub.ts';

interface Host extends AsyncDisposable {
  ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request?: MessageInitShape<I>,
  ): Promise<MessageShape<O>>;
}

async function hostOf(infra: Infra, options: Partial<ServeIacOptions> = {}): Promise<Host> {
  const listening = await listen(
    'unix',
    (server) => void serveIac(server, { infra }, { name: 'tested', version: '1.2.3', ...options }),
  );
  const client = new Client(listening.address, credentials.createInsecure());
  return {
    ask: async (method, request = {} as never) => {
      const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
      return await new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, reply) => {
          if (error) reject(error);
          else resolve(reply as never);
        });
      });
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await listening[Symbol.asyncDispose]();
    },
  };
}

const { create, read, sensitiveKeys, troubleshoot, scale } = iac.ResourceDriver.method;
const required = iac.IaCProviderRequired.method;
const json = (value: Json) => Buffer.from(JSON.stringify(value));
const opened = (infra: Infra) => async (): Promise<Provider> => ({
  capabilities,
  infra,
  [Symbol.asyncDispose]: async () => undefined,
});
const failure = async (promise: Promise<unknown>) => {
  const { code, details } = (await promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  )) as ServiceError;
  return { code, details };
};

test('what there is can be asked before Initialize, and nothing else', async () => {
  const fake = createFakeInfra();
  await using host = await hostOf(fake.infra, { open: opened(fake.infra) });
  const told = await host.ask(required.capabilities);
  expect(told.computePlanVersion).toBe('v2');
  expect(told.capabilities.map(({ resourceType }) => resourceType)).toEqual([...fake.infra.drivers.keys()]);
  expect((await host.ask(iac.IaCStateBackend.method.listBackendNames)).backendNames).toEqual(['fake']);
  expect((await host.ask(sensitiveKeys, { resourceType: 'infra.database' })).keys).toEqual(['password', 'uri']);
  await host.ask(iac.IaCStateBackend.method.configure, { backendName: 'fake', configJson: json({}) });
  expect(await failure(host.ask(read, { resourceType: 'fake.thing', ref: { name: 'a' } }))).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('Initialize') as string,
  });
  await host.ask(required.initialize);
  expect(fake.count('state.configure')).toBe(2);
  expect(await failure(host.ask(read, { resourceType: 'fake.thing', ref: { name: 'a' } }))).toMatchObject({
    code: status.NOT_FOUND,
  });
});

test('the registry names what is served, and the manifest who serves it', async () => {
  await using host = await hostOf(createFakeInfra().infra, { also: ['x.Y'] });
  const { contracts } = await host.ask(PluginService.method.getContractRegistry);
  const names = iac.file_workflow_plugin_external_iac_iac.services.map(({ typeName }) => typeName);
  const jobs = [iac.IaCProviderRunner.typeName, iac.IaCProviderJobCanceler.typeName];
  const served = [...names.filter((name) => !jobs.includes(name)), 'errand.v1.DriverService', 'x.Y'];
  expect(contracts.map(({ serviceName }) => serviceName)).toEqual(served.toSorted());
  expect(new Set(contracts.map(({ mode }) => mode))).toEqual(new Set([ContractMode.STRICT_PROTO]));
  expect(await host.ask(PluginService.method.getManifest)).toMatchObject({ name: 'tested', version: '1.2.3' });
});

test('the same request twice has one effect without a key, and errors say what the text of the contract says', async () => {
  const fake = createFakeInfra();
  await using host = await hostOf(fake.infra);
  const request = (config: Json) => ({ resourceType: 'fake.thing', spec: { name: 'a', configJson: json(config) } });
  const made = await host.ask(create, request({ x: 1, y: 2 }));
  expect(await host.ask(create, request({ y: 2, x: 1 }))).toEqual(made);
  expect(made.output).toMatchObject({ name: 'a', type: 'fake.thing' });
  expect(fake.things()).toHaveLength(1);
  expect(await failure(host.ask(create, request({ x: 2 })))).toMatchObject({
    code: status.ALREADY_EXISTS,
    details: expect.stringContaining('iac: resource already exists') as string,
  });
  expect(await failure(host.ask(read, { resourceType: 'fake.thing', ref: { name: 'b' } }))).toMatchObject({
    code: status.NOT_FOUND,
    details: expect.stringContaining('iac: resource not found') as string,
  });
  // Not "not found": a host would take the resource for gone.
  expect(await failure(host.ask(read, { resourceType: 'other.thing', ref: { name: 'b' } }))).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('iac: validation error') as string,
  });
  expect(await failure(host.ask(scale, { resourceType: 'fake.thing', ref: { name: 'a' } }))).toMatchObject({
    code: status.UNIMPLEMENTED,
    details: expect.stringContaining('iac: provider method unimplemented') as string,
  });
  expect(await failure(host.ask(create, { resourceType: 'fake.thing', spec: { configJson: Buffer.from('{') } }))).toMatchObject({
    code: status.INVALID_ARGUMENT,
  });
  expect(await failure(host.ask(troubleshoot, { resourceType: 'fake.thing' }))).toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('two hosts without keys do not hold one lock', async () => {
  await using host = await hostOf(createFakeInfra().infra);
  const { lock, unlock } = iac.IaCStateBackend.method;
  await host.ask(lock, { resourceId: 'r' });
  expect(await failure(host.ask(lock, { resourceId: 'r' }))).toMatchObject({ code: status.ALREADY_EXISTS });
  await host.ask(unlock, { resourceId: 'r' });
  await host.ask(lock, { resourceId: 'r' });
});

test('plan, status, import and destroy work for a provider that has drivers only', async () => {
  const { infra, ...fake } = createFakeInfra();
  const { drivers, enumerator } = infra;
  await using host = await hostOf({ drivers, ...(enumerator && { enumerator }) });
  const spec = (name: string, config: Json, dependsOn: string[] = []) => ({
    name,
    type: 'fake.thing',
    configJson: json(config),
    dependsOn,
  });
  for (const name of ['a', 'b']) await host.ask(create, { resourceType: 'fake.thing', spec: spec(name, { label: 1 }) });
  const { statuses } = await host.ask(required.status);
  expect(statuses.map(({ name, status: said }) => [name, said])).toEqual([
    ['a', 'running'],
    ['b', 'running'],
  ]);
  const refs = ['a', 'x'].map((name) => ({ name, type: 'fake.thing' }));
  expect((await host.ask(required.status, { refs })).statuses.map((one) => one.status)).toEqual(['running', 'missing']);
  const [a, b] = statuses;
  const { state } = await host.ask(required.import, { resourceType: 'fake.thing', providerId: a?.providerId ?? '' });
  expect(state).toMatchObject({ name: 'a', providerId: a?.providerId });
  expect(await failure(host.ask(required.import, { resourceType: 'fake.thing', providerId: 'x' }))).toMatchObject({
    code: status.NOT_FOUND,
  });
  const current = [a, b].map((one) => ({ name: one?.name ?? '', type: 'fake.thing', outputsJson: one?.outputsJson ?? json({}) }));
  const { plan } = await host.ask(required.plan, { desired: [spec('c', {}, ['a']), spec('a', { label: 2 })], current });
  expect(plan?.actions.map(({ action, resource }) => [action, resource?.name])).toEqual([
    ['update', 'a'],
    ['create', 'c'],
    ['delete', 'b'],
  ]);
  const gone = await host.ask(required.destroy, {
    refs: [...refs, { name: 'b', type: 'fake.thing' }, { name: 'z', type: 'no.type' }],
  });
  expect(gone.result?.destroyed).toEqual(['b', 'x', 'a']);
  expect(gone.result?.errors).toMatchObject([{ resource: 'z', action: 'delete' }]);
  expect(fake.things()).toEqual([]);
  expect(await host.ask(required.resolveSizing, { resourceType: 'fake.thing', size: 'm' })).toMatchObject({
    sizing: { instanceType: '' },
  });
});
