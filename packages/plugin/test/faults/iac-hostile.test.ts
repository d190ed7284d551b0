// A plugin of the public contract that answers wrongly, too much, or never: a typed error in time, whatever was asked.
import { Metadata, status } from '@grpc/grpc-js';
import type { MethodDefinition, Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { DescService } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { DriverService } from '../../src/gen/errand/v1/driver_pb.js';
import * as iac from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { ContractKind, ContractRegistrySchema, PluginService } from '../../src/gen/workflow/plugin/v1/plugin_pb.js';
import { encode } from '../../src/wire/definition.ts';
import type { ConnectIacOptions } from '../../src/iac/connect.ts';
import type { Patience } from '../../src/iac/line.ts';
import { connectIacTo } from '../iac.ts';
import { calls, capture, ref } from '../iac-calls.ts';
import { listen } from '../served.ts';
import { all, ask } from '../stub.ts';

const services: readonly DescService[] = iac.file_workflow_plugin_external_iac_iac.services;
const same = (bytes: Buffer) => bytes;

type Reply = Buffer | { readonly code: status; readonly details: string } | 'never';

/** Full name of a method → how it answers. `*` is for all the others. */
type Manners = Readonly<Record<string, Reply>>;

const types = ['infra.vpc'];
const capabilities = encode(iac.CapabilitiesResponseSchema, {
  capabilities: types.map((resourceType) => ({ resourceType })),
  computePlanVersion: 'v2',
});
const registryOf = (names: readonly string[]) =>
  encode(ContractRegistrySchema, { contracts: names.map((serviceName) => ({ kind: ContractKind.SERVICE, serviceName })) });

/** What is needed to get as far as calling anything. */
const opens: Manners = {
  'PluginService/GetContractRegistry': registryOf(services.map(({ typeName }) => typeName)),
  'IaCProviderRequired/Initialize': Buffer.alloc(0),
  'IaCProviderRequired/Capabilities': capabilities,
  'IaCProviderRequired/Name': Buffer.alloc(0),
  'IaCProviderRequired/Version': Buffer.alloc(0),
  'ResourceDriver/SensitiveKeys': Buffer.alloc(0),
  'IaCStateBackend/ListBackendNames': Buffer.alloc(0),
};

function hostile(manners: Manners): (server: Server) => void {
  const replyOf = (service: DescService, method: string) =>
    manners[`${service.name}/${method}`] ?? manners['*'] ?? Buffer.alloc(0);
  return (server) => {
    for (const service of [...services, PluginService, DriverService]) {
      const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {};
      const implementation: Record<string, unknown> = {};
      for (const { localName, name, methodKind } of service.methods) {
        const responseStream = methodKind !== 'unary';
        const raw = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
        definition[localName] = { path: `/${service.typeName}/${name}`, requestStream: false, responseStream, ...raw };
        const reply = replyOf(service, name);
        implementation[localName] = responseStream ? answerStream(reply) : answerUnary(reply);
      }
      server.addService(definition, implementation as UntypedServiceImplementation);
    }
  };
}

const answerUnary = (how: Reply) => (_call: unknown, reply: (error: object | null, bytes?: Buffer) => void) => {
  if (how === 'never') return;
  if (Buffer.isBuffer(how)) reply(null, how);
  else reply({ ...how, metadata: new Metadata() });
};

const answerStream =
  (how: Reply) => (stream: { write(bytes: Buffer): void; end(): void; emit(event: 'error', error: object): void }) => {
    if (how === 'never') return;
    if (Buffer.isBuffer(how)) {
      stream.write(how);
      stream.end();
    } else stream.emit('error', { ...how, metadata: new Metadata() });
  };

const methods = Object.keys(calls);

async function outcomes(manners: Manners, options: Partial<ConnectIacOptions> = {}): Promise<Record<string, string>> {
  await using listening = await listen('unix', hostile({ ...manners, ...opens }));
  await using connected = await connectIacTo(listening.address, options);
  const told = methods.map(async (name) => {
    const asked = calls[name]?.(connected.infra);
    if (!asked) throw new Error(`${name} is not there`);
    const said = await asked.then(
      (value) => (value === undefined ? 'nothing' : 'fine'),
      ({ code, message }: { code?: string; message: string }) => code ?? message,
    );
    return [name, said] as const;
  });
  return Object.fromEntries(await Promise.all(told));
}

const everywhere = (what: string) => Object.fromEntries(methods.map((name) => [name, what]));

test('every method that a caller can make is called here', () => {
  const notCalled = new Set([
    ...['Initialize', 'Name', 'Version', 'Capabilities', 'Plan'].map((name) => `IaCProviderRequired/${name}`),
    ...['RunJob', 'JobStatus', 'JobLogs'].map((name) => `IaCProviderRunner/${name}`),
    'IaCProviderJobCanceler/CancelJob',
    'IaCProviderDriftDetector/DetectDriftWithSpecs',
    'IaCProviderLogCapture/CaptureLogs',
    'ResourceDriver/SensitiveKeys',
    'IaCStateBackend/ListBackendNames',
  ]);
  const whole = services.flatMap((service) => service.methods.map((method) => `${service.name}/${method.name}`));
  expect(whole.filter((name) => !notCalled.has(name)).toSorted()).toEqual(methods.toSorted());
});

describe('replies', () => {
  test('an OK with nothing in it is a failure wherever a message was due', async () => {
    const failed = Object.entries(await outcomes({})).filter(([, said]) => said !== 'fine' && said !== 'nothing');
    expect(Object.fromEntries(failed)).toEqual({
      'ResourceDriver/Create': 'provider/failed',
      'ResourceDriver/Read': 'provider/failed',
      'ResourceDriver/Update': 'provider/failed',
      'ResourceDriver/Scale': 'provider/failed',
      'ResourceDriver/HealthCheck': 'provider/failed',
      'IaCProviderRequired/Destroy': 'provider/failed',
      'IaCProviderRequired/Import': 'provider/failed',
      'IaCProviderMigrationRepairer/RepairDirtyMigration': 'provider/failed',
    });
  });

  test('bytes that are no message', async () => {
    expect(await outcomes({ '*': Buffer.from('ffffffffffffffff', 'hex') })).toEqual(everywhere('provider/failed'));
  });

  test('an answer of 10 MB beyond the limit is told as such, and not as a rate limit', async () => {
    expect(
      await outcomes({ '*': Buffer.alloc(10_000_000) }, { channel: { 'grpc.max_receive_message_length': 4_194_304 } }),
    ).toEqual(everywhere('provider/failed'));
  });

  test('no answer at all ends at the deadline', async () => {
    const begun = performance.now();
    const told = await outcomes({ '*': 'never' }, { patience: { asks: 300, changes: 300 } });
    expect(told).toEqual(everywhere('provider/timeout'));
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('JSON bytes that are none', async () => {
    const broken = Buffer.from('{"a":');
    const outputs = { name: 'n', outputsJson: broken };
    const told = await outcomes({
      'ResourceDriver/Create': encode(iac.ResourceCreateResponseSchema, { output: outputs }),
      'ResourceDriver/Read': encode(iac.ResourceReadResponseSchema, { output: { name: 'n', outputsJson: Buffer.from('[1]') } }),
      'ResourceDriver/Diff': encode(iac.ResourceDiffResponseSchema, { result: { changes: [{ oldJson: broken }] } }),
      'IaCProviderRequired/Status': encode(iac.StatusResponseSchema, { statuses: [outputs] }),
      'IaCProviderRequired/Import': encode(iac.ImportResponseSchema, { state: { appliedConfigJson: Buffer.from([0xff]) } }),
      'IaCProviderRequired/ResolveSizing': encode(iac.ResolveSizingResponseSchema, { sizing: { specsJson: broken } }),
      'IaCProviderEnumerator/EnumerateAll': encode(iac.EnumerateAllResponseSchema, { outputs: [outputs] }),
      'IaCProviderDriftDetector/DetectDrift': encode(iac.DetectDriftResponseSchema, { drifts: [{ actualJson: broken }] }),
      'IaCStateBackend/ListStates': encode(iac.ListStatesResponseSchema, { states: [{ configJson: broken }] }),
    });
    const failed = Object.entries(told).filter(([, said]) => said === 'provider/failed');
    expect(failed.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'ResourceDriver/Create',
        'ResourceDriver/Read',
        'ResourceDriver/Diff',
        'IaCProviderRequired/Status',
        'IaCProviderRequired/Import',
        'IaCProviderRequired/ResolveSizing',
        'IaCProviderEnumerator/EnumerateAll',
        'IaCProviderDriftDetector/DetectDrift',
        'IaCStateBackend/ListStates',
      ]),
    );
  });

  test('logs that never come end with the caller’s signal', async () => {
    await using listening = await listen('unix', hostile({ ...opens, 'IaCProviderLogCapture/CaptureLogs': 'never' }));
    await using connected = await connectIacTo(listening.address);
    const stop = new AbortController();
    const reading = all(connected.infra.logCapture?.capture(capture, ask({ signal: stop.signal })));
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('statuses', () => {
  const meanings: readonly (readonly [status, string, string])[] = [
    [status.ALREADY_EXISTS, '', 'provider/conflict'],
    [status.RESOURCE_EXHAUSTED, '', 'provider/throttled'],
    [status.UNAVAILABLE, '', 'provider/unreachable'],
    [status.DEADLINE_EXCEEDED, '', 'provider/timeout'],
    [status.UNAUTHENTICATED, '', 'provider/auth'],
    [status.PERMISSION_DENIED, '', 'provider/auth'],
    [status.INVALID_ARGUMENT, '', 'provider/refused'],
    [status.FAILED_PRECONDITION, '', 'provider/refused'],
    [status.INTERNAL, '', 'provider/failed'],
    [status.UNKNOWN, 'something', 'provider/failed'],
    [status.UNKNOWN, 'create: iac: resource already exists: vpc', 'provider/conflict'],
    [status.UNKNOWN, 'iac: rate limited', 'provider/throttled'],
    [status.UNKNOWN, 'x: iac: transient error', 'provider/unreachable'],
    [status.UNKNOWN, 'iac: unauthorized', 'provider/auth'],
    [status.UNKNOWN, 'iac: forbidden', 'provider/auth'],
    [status.UNKNOWN, 'iac: validation error: cidr', 'provider/refused'],
    [status.UNKNOWN, 'iac: image tag or digest not found in registry', 'provider/image'],
    [status.NOT_FOUND, 'iac: image tag or digest not found in registry', 'provider/image'],
  ];
  test.each(meanings)('%s %j is %s everywhere', async (code, details, meaning) => {
    expect(await outcomes({ '*': { code, details } })).toEqual(everywhere(meaning));
  });

  test('what is not implemented is unsupported; only troubleshooting has nothing to say then', async () => {
    const told = await outcomes({ '*': { code: status.UNIMPLEMENTED, details: 'no' } });
    expect(told).toEqual({ ...everywhere('environment/unsupported'), 'ResourceDriver/Troubleshoot': 'fine' });
  });

  test('a resource that is not found is gone; a type that is not known never looks like that', async () => {
    const gone = await outcomes({ '*': { code: status.UNKNOWN, details: 'get: iac: resource not found' } });
    const absent = {
      'ResourceDriver/Read': 'nothing',
      'ResourceDriver/Delete': 'nothing',
      'IaCProviderRequired/Import': 'nothing',
    };
    const sure = { ...absent, 'IaCStateBackend/DeleteState': 'nothing', 'ResourceDriver/HealthCheck': 'fine' };
    expect(gone).toEqual({ ...everywhere('provider/not-found'), ...sure });
    const bare = await outcomes({ '*': { code: status.NOT_FOUND, details: 'unknown resource type' } });
    const refused = [
      'ResourceDriver/Create',
      'ResourceDriver/Diff',
      'IaCProviderRequired/ResolveSizing',
      'IaCProviderEnumerator/EnumerateAll',
    ];
    expect(bare).toEqual({
      ...everywhere('provider/not-found'),
      ...sure,
      ...Object.fromEntries(refused.map((name) => [name, 'provider/refused'])),
    });
  });

  test('a type that the plugin does not declare is refused, whatever is asked about it', async () => {
    const missing = { '*': { code: status.NOT_FOUND, details: 'no driver' } };
    await using listening = await listen('unix', hostile({ ...missing, ...opens }));
    await using connected = await connectIacTo(listening.address);
    await expect(connected.infra.import?.('infra.other', 'i', ask())).rejects.toMatchObject({ code: 'provider/refused' });
    const other = { ...ref, type: 'infra.other' };
    await expect(connected.infra.ownership?.get(other, ask())).rejects.toMatchObject({ code: 'provider/refused' });
  });
});

describe('opening', () => {
  const open = async (manners: Manners, patience: Partial<Patience> = {}) => {
    await using listening = await listen('unix', hostile({ ...opens, ...manners }));
    await using connected = await connectIacTo(listening.address, { patience });
    return connected;
  };

  test.each([
    ['no registry', { 'PluginService/GetContractRegistry': { code: status.UNIMPLEMENTED, details: '' } }, /advertises none/],
    ['an empty registry', { 'PluginService/GetContractRegistry': Buffer.alloc(0) }, /advertises nothing/],
    ['other services', { 'PluginService/GetContractRegistry': registryOf(['x.Y', 'a.B']) }, /advertises a\.B, x\.Y/],
    ['an old way of planning', { 'IaCProviderRequired/Capabilities': Buffer.alloc(0) }, /compute_plan_version is none/],
    [
      'another way of planning',
      { 'IaCProviderRequired/Capabilities': encode(iac.CapabilitiesResponseSchema, { computePlanVersion: 'V2' }) },
      /compute_plan_version is "V2"/,
    ],
  ] satisfies [string, Manners, RegExp][])('%s is refused, and says so', async (_what, manners, message) => {
    await expect(open(manners)).rejects.toMatchObject({
      code: 'environment/unsupported',
      message: expect.stringMatching(message) as string,
    });
  });

  test.each([
    'PluginService/GetContractRegistry',
    'IaCProviderRequired/Initialize',
    'IaCProviderRequired/Capabilities',
    'ResourceDriver/SensitiveKeys',
    'IaCStateBackend/ListBackendNames',
  ])('%s that hangs or breaks is told in time', async (name) => {
    await expect(open({ [name]: 'never' }, { facts: 300, asks: 300 })).rejects.toMatchObject({ code: 'provider/timeout' });
    await expect(open({ [name]: { code: status.INTERNAL, details: 'broken' } })).rejects.toMatchObject({
      code: 'provider/failed',
    });
    await expect(open({ [name]: Buffer.from('ff', 'hex') })).rejects.toMatchObject({ code: 'provider/failed' });
  });

  test('a name and a version that are not told do not matter', async () => {
    const manners: Manners = { 'IaCProviderRequired/Name': 'never', 'IaCProviderRequired/Version': Buffer.from('ff', 'hex') };
    const { served } = await open(manners, { facts: 2_000 });
    expect(served).toEqual({ name: '', version: '' });
  });

  test('a plugin that only keeps state is not initialised', async () => {
    const only = {
      'PluginService/GetContractRegistry': registryOf([iac.IaCStateBackend.typeName]),
      'IaCProviderRequired/Initialize': 'never',
    } as const;
    const { infra } = await open(only);
    expect(Object.keys(infra).toSorted()).toEqual(['drivers', 'stateBackend']);
    expect(infra.drivers.size).toBe(0);
  });
});
