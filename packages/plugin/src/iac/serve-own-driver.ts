import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Driver } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import type { Call as CallMessage } from '../gen/errand/v1/handle_pb.js';
import { answer, answerStream } from '../wire/answer.ts';
import { jsonBytes, jsonValue } from '../wire/json.ts';
import { readCall } from '../wire/values.ts';
import { jsonBatches } from './json-batches.ts';
import { listOf, readPairShape, readRefShape, readSpecShape, sendShape, shapeText } from './json-shapes.ts';
import { inLanes } from './lanes.ts';
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

  return {
    describeDrivers: answer(answers, methods.describeDrivers, async () => ({
      drivers: [...preview.drivers].map(([type, driver]) => factsOf(type, driver)),
      facets: facetNames.filter((name) => preview[name] !== undefined),
    })),
    create: answerStream(answers, methods.create, async (request, ask, send) => {
      const driver = driverOf(infra(), request.resourceType);
      const output = await driver.create(specOf(request.specJson), { ...ask, ...callFor(request) });
      await send({ reply: { case: 'outputJson', value: Buffer.from(shapeText(output)) } });
    }),
    update: answerStream(answers, methods.update, async (request, ask, send) => {
      const driver = driverOf(infra(), request.resourceType);
      const [ref, spec] = [refOf(request.refJson), specOf(request.specJson)];
      const output = await driver.update(ref, spec, { ...ask, ...callFor(request) });
      await send({ reply: { case: 'outputJson', value: Buffer.from(shapeText(output)) } });
    }),
    replace: answerStream(answers, methods.replace, async (request, ask, send) => {
      const driver = driverOf(infra(), request.resourceType);
      if (!driver.replace) throw unsupported(`replace ${request.resourceType}`);
      const [ref, spec] = [refOf(request.refJson), specOf(request.specJson)];
      const output = await driver.replace(ref, spec, { ...ask, ...callFor(request) });
      await send({ reply: { case: 'outputJson', value: Buffer.from(shapeText(output)) } });
    }),
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
