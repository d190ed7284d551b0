import { fromBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attributes, Json } from '@errand/contract';
import * as iac from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { encode } from '../wire/definition.ts';
import { Malformed } from '../wire/malformed.ts';
import { readAttributes, readOptionalJson, sendOptionalJson } from './json-bytes.ts';
import { jsonBatches } from './json-batches.ts';
import { listOf, readDiffShape, readOptionalOutputShape, readPairShape, readRefShape, shapeText } from './json-shapes.ts';
import { readPlan, sendPlan } from './plan-values.ts';
import { readMapped, readRequirement, sendMapped, sendRequirement } from './requirement-values.ts';
import {
  readDiff,
  readOutput,
  readResourceRef,
  readSpec,
  sendDiff,
  sendOutput,
  sendResourceRef,
  sendSpec,
} from './resource-values.ts';
import { readDrift, readFinding, readRepair, sendDrift, sendFinding, sendRepair } from './service-values.ts';
import { readRecord, readState, sendRecord, sendState } from './state-values.ts';
import { readTime, sendTime } from './times.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const texts = fc.array(text, { maxLength: 4 });
/** As JSON has it: no minus zero. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(text, json, { maxKeys: 5, noNullPrototype: true });
const time = fc.integer({ min: -62_000_000_000_000, max: 4_000_000_000_000 });
const word = <W extends string>(...words: readonly W[]): fc.Arbitrary<W> => fc.constantFrom(...words);
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, ...optional: (keyof T)[]) =>
  fc.record(model, { requiredKeys: (Object.keys(model) as (keyof T)[]).filter((key) => !optional.includes(key)) });
/** Empty stands for absent on the wire. */
const named = text.filter((one) => one !== '');

const ref = some({ name: text, type: text, providerId: named }, 'providerId');
const hints = some({ cpu: named, memory: named, storage: named }, 'cpu', 'memory', 'storage');
const spec = some(
  { name: text, type: text, config: attributes, size: word('xs', 's', 'm', 'l', 'xl'), hints, dependsOn: texts },
  'size',
  'hints',
);
const sensitive = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), minLength: 1, maxLength: 6 }), {
  maxLength: 4,
});
const output = some({ name: text, type: text, providerId: text, outputs: attributes, sensitive, status: text });
const change = some({ path: text, old: json, new: json, forceNew: fc.boolean() }, 'old', 'new');
const diff = some({ needsUpdate: fc.boolean(), needsReplace: fc.boolean(), changes: fc.array(change, { maxLength: 3 }) });
const state = some(
  {
    id: text,
    name: text,
    type: text,
    provider: text,
    providerRef: text,
    providerId: text,
    configHash: text,
    appliedConfig: attributes,
    appliedConfigSource: text,
    outputs: attributes,
    dependencies: texts,
    createdAt: time,
    updatedAt: time,
    lastDriftCheck: time,
  },
  'createdAt',
  'updatedAt',
  'lastDriftCheck',
);
const record = some({
  resourceId: text,
  resourceType: text,
  provider: text,
  providerRef: text,
  providerId: text,
  configHash: text,
  status: text,
  outputs: attributes,
  config: attributes,
  dependencies: texts,
  createdAt: text,
  updatedAt: text,
  error: text,
});
const drift = some(
  {
    name: text,
    type: text,
    drifted: fc.boolean(),
    class: word('unknown', 'in-sync', 'ghost', 'config'),
    expected: json,
    actual: json,
    fields: texts,
  },
  'expected',
  'actual',
);
const finding = some({ id: text, phase: text, cause: text, at: time, detail: text }, 'at');
const inputs = fc.dictionary(fc.string({ unit: fc.constantFrom('A', 'B', '_'), maxLength: 4 }), text, { noNullPrototype: true });
const plan = some({
  id: text,
  createdAt: time,
  desiredHash: text,
  inputs,
  actions: fc.array(
    some(
      {
        action: word('create', 'update', 'replace', 'delete'),
        resource: spec,
        current: state,
        changes: fc.array(change, { maxLength: 2 }),
        resolvedConfigHash: text,
      },
      'current',
    ),
    { maxLength: 3 },
  ),
});
const requirement = some(
  {
    key: text,
    source: text,
    resourceTypeHint: text,
    environment: text,
    vendorFeatures: texts,
    parameters: attributes,
    kind: word('observability', 'web-api', 'message-broker', 'database', 'cache', 'storage'),
    runtimes: fc.array(word('kubernetes', 'ecs', 'cloud-run', 'azure-container-apps', 'digitalocean-app-platform')),
    telemetrySignals: fc.array(word('traces', 'metrics', 'logs')),
    observabilityBackends: fc.array(word('otel', 'datadog', 'prometheus', 'loki', 'grafana')),
    deploymentModes: fc.array(word('sidecar', 'daemonset', 'sibling-service', 'managed')),
  },
  'kind',
);
const list = <T>(items: fc.Arbitrary<T>) => fc.array(items, { maxLength: 3 });
const mapped = some({
  acceptedKeys: texts,
  rejected: list(some({ key: text, code: text, message: text })),
  modules: list(some({ name: text, type: text, satisfies: texts, config: attributes, dependsOn: texts })),
  notes: list(some({ key: text, message: text, interactive: fc.boolean() })),
});
const repair = some(
  {
    app: text,
    database: text,
    image: text,
    sourceDirectory: text,
    expectedDirtyVersion: text,
    forceVersion: text,
    thenUp: fc.boolean(),
    upIfClean: fc.boolean(),
    confirmForce: text,
    env: inputs,
    timeout: fc.integer({ min: 1, max: 100_000 }).map((seconds) => seconds * 1000),
  },
  'timeout',
);

function survives<T, M extends DescMessage>(
  values: fc.Arbitrary<T>,
  type: M,
  send: (value: T) => MessageInitShape<M>,
  read: (message: MessageShape<M>) => T,
): void {
  fc.assert(
    fc.property(values, (value) => {
      expect(read(fromBinary(type, encode(type, send(value))))).toEqual(value);
    }),
    { numRuns: 100 },
  );
}

describe('what is sent is what is read', () => {
  test('references, specs, outputs and diffs', () => {
    survives(ref, iac.ResourceRefSchema, sendResourceRef, (message) => readResourceRef(message));
    survives(spec, iac.ResourceSpecSchema, sendSpec, (message) => readSpec(message));
    survives(output, iac.ResourceOutputSchema, sendOutput, (message) => readOutput(message));
    survives(diff, iac.DiffResultSchema, sendDiff, readDiff);
  });

  test('records', () => {
    survives(state, iac.ResourceStateSchema, sendState, readState);
    survives(record, iac.IaCStateSchema, sendRecord, readRecord);
    survives(plan, iac.IaCPlanSchema, sendPlan, readPlan);
  });

  test('what services say', () => {
    survives(drift, iac.DriftResultSchema, sendDrift, readDrift);
    survives(finding, iac.DiagnosticSchema, sendFinding, readFinding);
    survives(repair, iac.MigrationRepairRequestSchema, sendRepair, readRepair);
    survives(requirement, iac.IaCRequirementSchema, sendRequirement, readRequirement);
    survives(mapped, iac.MapRequirementsResponseSchema, sendMapped, readMapped);
  });

  test('lists of JSON, in batches of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(output, { nil: undefined }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 7 }),
        (items, most) => {
          const batches = [...jsonBatches(items.map(shapeText), most)];
          expect(batches.every(({ count }) => count <= most)).toBe(true);
          expect(batches.flatMap(({ bytes }) => listOf(bytes, 'it', readOptionalOutputShape))).toEqual(items);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ desired: spec, current: output }), { maxLength: 3 }), fc.array(diff), (pairs, diffs) => {
        expect([...jsonBatches(pairs.map(shapeText), 9)].flatMap(({ bytes }) => listOf(bytes, 'it', readPairShape))).toEqual(
          pairs,
        );
        expect([...jsonBatches(diffs.map(shapeText), 99)].flatMap(({ bytes }) => listOf(bytes, 'it', readDiffShape))).toEqual(
          diffs,
        );
      }),
    );
  });
});

describe('nothing, in every form', () => {
  test('of attributes', () => {
    for (const form of ['', 'null', '{}', ' null ', '{ }']) expect(readAttributes(Buffer.from(form), 'it')).toEqual({});
    for (const form of ['[]', '1', '"x"', 'true']) expect(() => readAttributes(Buffer.from(form), 'it')).toThrow(Malformed);
  });

  test('of a value: no bytes are absent, and a null is a null', () => {
    expect(readOptionalJson(new Uint8Array(), 'it')).toBeUndefined();
    expect(readOptionalJson(Buffer.from('null'), 'it')).toBeNull();
    expect(sendOptionalJson(undefined)).toHaveLength(0);
    expect(Buffer.from(sendOptionalJson(null)).toString()).toBe('null');
  });

  test('of a time: absent, and the first moment of Go', () => {
    expect(readTime(undefined)).toBeUndefined();
    expect(sendTime(undefined)).toBeUndefined();
    expect(readTime({ $typeName: 'google.protobuf.Timestamp', seconds: -62_135_596_800n, nanos: 0 })).toBeUndefined();
    expect(readTime({ $typeName: 'google.protobuf.Timestamp', seconds: 0n, nanos: 5_000_000 })).toBe(5);
    expect(sendTime(-1)).toEqual({ seconds: -1n, nanos: 999_000_000 });
    expect(() => sendTime(NaN)).toThrow(Malformed);
  });

  test('of a diff', () => {
    expect(readDiff(undefined)).toEqual({ needsUpdate: false, needsReplace: false, changes: [] });
  });
});

test('a word that is newer than we are is passed over', () => {
  const message = fromBinary(
    iac.IaCRequirementSchema,
    encode(iac.IaCRequirementSchema, { kind: 99 as never, runtimes: [1, 77 as never] }),
  );
  expect(readRequirement(message)).toMatchObject({ runtimes: ['kubernetes'] });
  expect(readRequirement(message).kind).toBeUndefined();
});

test('any bytes are a value or malformed, and nothing else', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map((one) => Buffer.from(one)),
    json.map((value) => Buffer.from(JSON.stringify([value]))),
    fc.tuple(fc.json(), fc.nat(30)).map(([one, at]) => Buffer.from(one.slice(0, at))),
  );
  const readers: ((input: Uint8Array) => unknown)[] = [
    (input) => readAttributes(input, 'it'),
    (input) => readOptionalJson(input, 'it'),
    (input) => listOf(input, 'it', readOptionalOutputShape),
    (input) => listOf(input, 'it', readPairShape),
    (input) => listOf(input, 'it', readDiffShape),
    (input) => listOf(input, 'it', readRefShape),
  ];
  fc.assert(
    fc.property(bytes, (input) => {
      for (const read of readers) {
        try {
          read(input);
        } catch (error) {
          if (!(error instanceof Malformed)) throw error;
        }
      }
    }),
    { numRuns: 2000 },
  );
});
