// A driver behind DriverService: what it can is known exactly, secrets stay out of configs, many resources go in one call.
import type { Ask, DiffPair, Driver, Json, ResourceOutput, ResourceSpec, SecretCall } from '@errand/contract';
import { DriverService } from '../gen/errand/v1/driver_pb.js';
import type { DriverFacts } from '../gen/errand/v1/driver_pb.js';
import { jsonValue } from '../wire/json.ts';
import { serverStream } from '../wire/link.ts';
import { Malformed } from '../wire/malformed.ts';
import { reading, repliesOf } from '../wire/replies.ts';
import { optional, sendCall } from '../wire/values.ts';
import type { PublicDriver } from './connect-driver.ts';
import { gatherChanges } from './gather-changes.ts';
import type { Change, ChangeCase } from './gather-changes.ts';
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

/** What a driver of the public contract may have without saying so, or lacks. */
const differing: ReadonlySet<string> = new Set(['adopt', 'scale', 'health', 'troubleshoot', 'sensitiveKeys', 'keyless']);

/** What is sent with every change. */
interface Sent {
  readonly resourceType: string;
  readonly specJson: Uint8Array;
  readonly call: ReturnType<typeof sendCall>;
  readonly secretValues: Record<string, Uint8Array>;
}

export interface OwnFacts {
  readonly drivers: readonly DriverFacts[];
  readonly facets: ReadonlySet<string>;
  /** How changes are sent; one for all drivers, so that those of several types go together. */
  readonly change: Change;
}

export async function askOwnFacts(line: Line, signal: AbortSignal): Promise<OwnFacts> {
  const about = { verb: 'describe its drivers', within: line.patience.facts };
  return await askFor(line, about, methods.describeDrivers, {}, { signal }, ({ drivers, facets, changesMany }) => ({
    drivers,
    facets: new Set(facets),
    change: gatherChanges(line, changesMany),
  }));
}

/** Whatever is not said here is said over the public contract. */
export function connectOwnDriver(line: Line, facts: DriverFacts, publicOne: PublicDriver, change: Change): Driver {
  const { link } = line;
  const { resourceType: type, upserts, oneName } = facts;
  const has = new Set(facts.methods);
  const plain = Object.entries(publicOne).filter(([key]) => has.has(key) || !differing.has(key));
  const configKeys = readConfigKeys(facts.configKeysJson);
  const changed = (verb: string, spec: ResourceSpec, call: SecretCall, wanted: (more: Sent) => ChangeCase) =>
    reading(link, `${verb} ${type}`, async () => {
      const sent = {
        resourceType: type,
        specJson: sendShape(spec),
        call: sendCall(call),
        secretValues: await secretsOf(spec, call),
      };
      return readOutputShape(jsonValue(await change(wanted(sent), call), 'the resource'));
    });
  return {
    ...(Object.fromEntries(plain) as unknown as PublicDriver),
    ...(facts.sensitiveKeys.length > 0 && { sensitiveKeys: facts.sensitiveKeys }),
    ...(upserts && { upserts }),
    ...(oneName && { oneName }),
    ...optional({ configKeys }),
    create: (spec, call) => changed('create', spec, call, (value) => ({ case: 'create', value })),
    update: (ref, spec, call) =>
      changed('update', spec, call, (more) => ({ case: 'update', value: { ...more, refJson: sendShape(ref) } })),
    ...(has.has('replace') && {
      replace: (ref, spec, call) =>
        changed('replace', spec, call, (more) => ({ case: 'replace', value: { ...more, refJson: sendShape(ref) } })),
    }),
    ...(has.has('adopt') && { adopt: (spec) => askAdoption(line, type, spec) }),
    readMany: (refs, ask) =>
      reading(link, `read many ${type}`, async () => {
        const outputs: (ResourceOutput | undefined)[] = [];
        for (const { bytes, count } of jsonBatches(refs.values().map(shapeText), mostItems)) {
          const request = { resourceType: type, refsJson: bytes };
          const replies = serverStream(link, methods.readMany, request, ask.signal, Date.now() + line.patience.asks);
          const found = await gather(repliesOf(replies, 'outputsJson', ask), count, readOptionalOutputShape);
          for (const one of found) outputs.push(one);
        }
        return outputs;
      }),
    diffMany: (pairs, ask) => reading(link, `compare many ${type}`, () => diffMany(line, type, pairs, ask)),
  };
}

async function diffMany({ link, patience }: Line, type: string, pairs: readonly DiffPair[], ask: Ask) {
  const diffs = [];
  for (const { bytes, count } of jsonBatches(pairs.values().map(shapeText), mostItems)) {
    const request = { resourceType: type, pairsJson: bytes };
    const replies = serverStream(link, methods.diffMany, request, ask.signal, Date.now() + patience.asks);
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

function readConfigKeys(bytes: Uint8Array): readonly string[] | undefined {
  if (bytes.length === 0) return undefined;
  return listOf(bytes, 'the list of config keys', (value) => {
    if (typeof value !== 'string') throw new Malformed('a config key is not text');
    return value;
  });
}
