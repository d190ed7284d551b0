import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Ask, Driver, ResourceOutput } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import type { Call as CallMessage } from '../gen/errand/v1/handle_pb.js';
import { answer, answerStream } from '../wire/answer.ts';
import { jsonBytes, jsonValue } from '../wire/json.ts';
import { Malformed } from '../wire/malformed.ts';
import { readCall } from '../wire/values.ts';
import { jsonBatches } from './json-batches.ts';
import { listOf, readPairShape, readRefShape, readSpecShape, sendShape, shapeText } from './json-shapes.ts';
import { inLanes } from './lanes.ts';
import { changeMany } from './serve-changes.ts';
import type { ChangeCase } from './serve-changes.ts';
import { driverOf, unsupported } from './served.ts';
import type { Served } from './served.ts';

const methods = DriverService.method;

/** How many resources are looked at together where a driver takes one at a time. */
const width = 16;

export function serveOwnDriver({ answers, infra, preview }: Served): UntypedServiceImplementation {
  const secretFrom = (values: Readonly<Record<string, Uint8Array>>) => async (reference: string) => {
    const value = Object.hasOwn(values, reference) ? values[reference] : undefined;
    if (value) return Buffer.from(value).toString();
    throw new ErrandError('secret/missing', `tried to get the secret ${reference}: the caller sent no value for it`);
  };
  const specOf = (bytes: Uint8Array) => readSpecShape(jsonValue(bytes, 'the spec of the resource'));
  const refOf = (bytes: Uint8Array) => readRefShape(jsonValue(bytes, 'the reference to the resource'));
  const callFor = (message: { readonly call?: CallMessage | undefined; readonly secretValues: Record<string, Uint8Array> }) => ({
    ...readCall(message.call),
    secret: secretFrom(message.secretValues),
  });

  async function change(wanted: ChangeCase, ask: Ask): Promise<Uint8Array> {
    if (wanted.case === undefined) throw new Malformed('a change is of no known kind');
    const { value } = wanted;
    const driver = driverOf(infra(), value.resourceType);
    const spec = specOf(value.specJson);
    const call = { ...ask, ...callFor(value) };
    if (wanted.case === 'create') return outputBytes(await driver.create(spec, call));
    const ref = refOf(wanted.value.refJson);
    if (wanted.case === 'update') return outputBytes(await driver.update(ref, spec, call));
    if (!driver.replace) throw unsupported(`replace ${value.resourceType}`);
    return outputBytes(await driver.replace(ref, spec, call));
  }

  return {
    describeDrivers: answer(answers, methods.describeDrivers, async () => ({
      changesMany: true,
      drivers: [...preview.drivers].map(([type, driver]) => factsOf(type, driver)),
      facets: facetNames.filter((name) => preview[name] !== undefined),
    })),
    create: answerStream(answers, methods.create, async (value, ask, send) => {
      await send({ reply: { case: 'outputJson', value: await change({ case: 'create', value }, ask) } });
    }),
    update: answerStream(answers, methods.update, async (value, ask, send) => {
      await send({ reply: { case: 'outputJson', value: await change({ case: 'update', value }, ask) } });
    }),
    replace: answerStream(answers, methods.replace, async (value, ask, send) => {
      await send({ reply: { case: 'outputJson', value: await change({ case: 'replace', value }, ask) } });
    }),
    changeMany: answerStream(answers, methods.changeMany, ({ changes }, ask, send) =>
      changeMany(
        changes.map((one) => one.change),
        change,
        ask,
        send,
      ),
    ),
    readMany: answerStream(answers, methods.readMany, async ({ resourceType, refsJson }, ask, send) => {
      const driver = driverOf(infra(), resourceType);
      const refs = listOf(refsJson, 'the list of references', readRefShape);
      const outputs = driver.readMany
        ? await driver.readMany(refs, ask)
        : await inLanes(refs, width, (ref) => driver.read(ref, ask));
      for (const { bytes } of jsonBatches(outputs.values().map(shapeText), Infinity)) {
        await send({ reply: { case: 'outputsJson', value: bytes } });
      }
    }),
    diffMany: answerStream(answers, methods.diffMany, async ({ resourceType, pairsJson }, ask, send) => {
      const driver = driverOf(infra(), resourceType);
      const pairs = listOf(pairsJson, 'the list of what is to be compared', readPairShape);
      const diffs = driver.diffMany
        ? await driver.diffMany(pairs, ask)
        : await inLanes(pairs, width, ({ desired, current }) => driver.diff(desired, current, ask));
      for (const { bytes } of jsonBatches(diffs.values().map(shapeText), Infinity)) {
        await send({ reply: { case: 'diffsJson', value: bytes } });
      }
    }),
    adopt: answer(answers, methods.adopt, async ({ resourceType, specJson }) => {
      const driver = driverOf(infra(), resourceType);
      const ref = await driver.adopt?.(specOf(specJson));
      return ref ? { refJson: sendShape(ref) } : {};
    }),
  };
}

const outputBytes = (output: ResourceOutput) => Buffer.from(shapeText(output));

const facetNames = ['sizing', 'import', 'status', 'destroy', 'bootstrap'] as const;
const methodNames = ['replace', 'adopt', 'scale', 'health', 'troubleshoot'] as const;

function factsOf(resourceType: string, driver: Driver) {
  const { sensitiveKeys = [], configKeys, upserts = false, oneName = false } = driver;
  return {
    resourceType,
    sensitiveKeys: [...sensitiveKeys],
    upserts,
    oneName,
    methods: methodNames.filter((name) => driver[name] !== undefined),
    ...(configKeys && { configKeysJson: jsonBytes(configKeys) }),
  };
}
