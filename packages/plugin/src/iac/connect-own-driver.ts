// A driver behind DriverService: what it can is known exactly, secrets stay out of configs, many resources go in one call.
import type { Ask, DiffPair, Driver, Json, ResourceOutput, ResourceSpec, SecretCall } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import type { DriverFacts } from '../gen/errand/v1/driver_pb.js';
import { jsonValue } from '../wire/json.ts';
import { serverStream } from '../wire/link.ts';
import { Malformed } from '../wire/malformed.ts';
import { reading, repliesOf, resultOf } from '../wire/replies.ts';
import { optional, sendCall } from '../wire/values.ts';
import type { PublicDriver } from './connect-driver.ts';
import { jsonBatches } from './json-batches.ts';
import {
  listOf,
  readDiffShape,
  readOptionalOutputShape,
  readOutputShape,
  readRefShape,
  sendShape,
  shapeText,
} from './json-shapes.ts';
import { askFor } from './line.ts';
import type { Line } from './line.ts';
import { referencesIn } from './secrets.ts';

const methods = DriverService.method;

/** What one request holds at most: more would only make the first answer later. */
const mostItems = 500;

export interface OwnFacts {
  readonly drivers: readonly DriverFacts[];
  readonly facets: ReadonlySet<string>;
}

export async function askOwnFacts(line: Line, signal: AbortSignal): Promise<OwnFacts> {
  const about = { verb: 'describe its drivers', within: line.patience.facts };
  return await askFor(line, about, methods.describeDrivers, {}, { signal }, ({ drivers, facets }) => ({
    drivers,
    facets: new Set(facets),
  }));
}

/** Whatever is not said here is said over the public contract. */
export function connectOwnDriver(line: Line, facts: DriverFacts, publicOne: PublicDriver): Driver {
  const { link } = line;
  const { resourceType: type, upserts } = facts;
  const has = new Set(facts.methods);
  const { adopt: _, scale, health, troubleshoot, sensitiveKeys: __, ...plain } = publicOne;
  const configKeys = readConfigKeys(facts.configKeysJson);
  return {
    ...plain,
    ...(has.has('scale') && { scale }),
    ...(has.has('health') && { health }),
    ...(has.has('troubleshoot') && { troubleshoot }),
    ...(facts.sensitiveKeys.length > 0 && { sensitiveKeys: facts.sensitiveKeys }),
    ...(upserts && { upserts }),
    ...optional({ configKeys }),
    create: (spec, call) =>
      reading(link, `create ${type}`, async () => {
        const request = { resourceType: type, specJson: sendShape(spec), call: sendCall(call) };
        const secretValues = await secretsOf(spec, call);
        return outputOf(
          await resultOf(serverStream(link, methods.create, { ...request, secretValues }, call.signal), 'outputJson', call),
        );
      }),
    update: (ref, spec, call) =>
      reading(link, `update ${type}`, async () => {
        const request = { resourceType: type, refJson: sendShape(ref), specJson: sendShape(spec), call: sendCall(call) };
        const secretValues = await secretsOf(spec, call);
        return outputOf(
          await resultOf(serverStream(link, methods.update, { ...request, secretValues }, call.signal), 'outputJson', call),
        );
      }),
    ...(has.has('replace') && {
      replace: (ref, spec, call) =>
        reading(link, `replace ${type}`, async () => {
          const request = { resourceType: type, refJson: sendShape(ref), specJson: sendShape(spec), call: sendCall(call) };
          const secretValues = await secretsOf(spec, call);
          return outputOf(
            await resultOf(serverStream(link, methods.replace, { ...request, secretValues }, call.signal), 'outputJson', call),
          );
        }),
    }),
    ...(has.has('adopt') && { adopt: (spec) => askAdoption(line, type, spec) }),
    readMany: (refs, ask) =>
      reading(link, `read many ${type}`, async () => {
        const outputs: (ResourceOutput | undefined)[] = [];
        for (const { bytes, count } of jsonBatches(refs.values().map(shapeText), mostItems)) {
          const replies = serverStream(link, methods.readMany, { resourceType: type, refsJson: bytes }, ask.signal);
          const found = await gather(repliesOf(replies, 'outputsJson', ask), count, readOptionalOutputShape);
          for (const one of found) outputs.push(one);
        }
        return outputs;
      }),
    diffMany: (pairs, ask) => reading(link, `compare many ${type}`, () => diffMany(line, type, pairs, ask)),
  };
}

async function diffMany({ link }: Line, type: string, pairs: readonly DiffPair[], ask: Ask) {
  const diffs = [];
  for (const { bytes, count } of jsonBatches(pairs.values().map(shapeText), mostItems)) {
    const replies = serverStream(link, methods.diffMany, { resourceType: type, pairsJson: bytes }, ask.signal);
    const found = await gather(repliesOf(replies, 'diffsJson', ask), count, readDiffShape);
    for (const one of found) diffs.push(one);
  }
  return diffs;
}

async function gather<T>(lists: AsyncIterable<Uint8Array>, count: number, read: (value: Json) => T): Promise<T[]> {
  const items: T[] = [];
  for await (const list of lists) for (const item of listOf(list, 'the list of answers', read)) items.push(item);
  if (items.length !== count) throw new Malformed(`${count} answers were due, and ${items.length} came`);
  return items;
}

async function askAdoption(line: Line, type: string, spec: ResourceSpec) {
  const about = { verb: `say where ${type} ${JSON.stringify(spec.name)} may be`, within: line.patience.facts };
  const request = { resourceType: type, specJson: sendShape(spec) };
  const { signal } = new AbortController();
  return await askFor(line, about, methods.adopt, request, { signal }, ({ refJson }) =>
    refJson.length === 0 ? undefined : readRefShape(jsonValue(refJson, 'the reference to the resource')),
  );
}

/** The far side cannot ask back, so the values go along with the call; they exist nowhere else. */
async function secretsOf(spec: ResourceSpec, call: SecretCall): Promise<Record<string, Uint8Array>> {
  const values: Record<string, Uint8Array> = {};
  for (const reference of referencesIn(spec.config)) values[reference] = Buffer.from(await call.secret(reference));
  return values;
}

function outputOf(bytes: Uint8Array): ResourceOutput {
  return readOutputShape(jsonValue(bytes, 'the resource'));
}

function readConfigKeys(bytes: Uint8Array): readonly string[] | undefined {
  if (bytes.length === 0) return undefined;
  return listOf(bytes, 'the list of config keys', (value) => {
    if (typeof value !== 'string') throw new Malformed('a config key is not text');
    return value;
  });
}
