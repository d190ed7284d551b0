// A platform with resources, whose manners are as bad as the test wants. In memory, or in a directory that outlives the
// process. A key makes one resource; another key's is a `provider/conflict` where names are unique.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineProvider } from '@errand/contract';
import type { Attributes, Infra, Json, ProviderDefinition } from '@errand/contract';
import { z } from 'zod';
import { fakeDriver } from './fake/driver.ts';
import { createLine } from './fake/faults.ts';
import type { FakeCall, FakeMethod, FakeRule, LineOptions } from './fake/faults.ts';
import { otherFakeServices } from './fake/other-services.ts';
import { fakeServices } from './fake/services.ts';
import type { Told } from './fake/services.ts';
import { directoryShelf, memoryShelf } from './fake/shelf.ts';
import type { Thing } from './fake/shelf.ts';
import { fakeTypes } from './fake/types.ts';

export type { FakeCall, FakeFault, FakeMethod, FakeRule } from './fake/faults.ts';
export type { Thing as FakeThing } from './fake/shelf.ts';

export interface FakeInfraOptions extends LineOptions {
  /** Keeps one file per resource here, and `calls.jsonl`: every mutating call that any process made. */
  readonly directory?: string;
  /** Drivers have `readMany` and `diffMany`. */
  readonly batches?: boolean;
}

export interface FakeInfra {
  readonly infra: Infra;
  /** Every call of this process, in order. */
  readonly calls: readonly FakeCall[];
  count(method: FakeMethod, name?: string): number;
  /** The last config that a `create` or `update` of this resource was given. */
  received(name: string): Attributes | undefined;
  /** The truth. */
  things(): readonly Thing[];
  thing(name: string): Thing | undefined;
  /** Behind everybody's back. */
  change(name: string, config: Attributes): void;
  remove(name: string): void;
  rule(rule: FakeRule): void;
  goodManners(): void;
  cut(isCut: boolean): void;
  readonly told: Told;
}

export function createFakeInfra(options: FakeInfraOptions = {}): FakeInfra {
  const { directory } = options;
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const shelf = directory === undefined ? memoryShelf() : directoryShelf(directory);
  const line = createLine({ ...options, ...(directory === undefined ? {} : { journal: join(directory, 'calls.jsonl') }) });
  const platform = { shelf, line, batches: options.batches === true };
  const told: Told = { finalized: [], revoked: [], failures: [] };
  const thing = (name: string) => shelf.all().find((one) => one.name === name);
  return {
    infra: {
      drivers: new Map(Object.entries(fakeTypes).map(([type, traits]) => [type, fakeDriver(platform, type, traits)])),
      ...fakeServices(platform, told),
      ...otherFakeServices(line),
    },
    calls: line.calls,
    count: (method, name) =>
      line.calls.filter((call) => call.method === method && (name === undefined || call.name === name)).length,
    received: (name) =>
      line.calls.findLast((call) => call.name === name && (call.method === 'create' || call.method === 'update'))?.config,
    things: () => shelf.all(),
    thing,
    change(name, config) {
      const there = thing(name);
      if (there) shelf.save({ ...there, config });
    },
    remove(name) {
      const there = thing(name);
      if (there) shelf.remove(there);
    },
    rule: (rule) => line.add(rule),
    goodManners: () => line.clear(),
    cut: (isCut) => line.cut(isCut),
    told,
  };
}

/** What any process did to the platform in a directory, in order. */
export function fakeJournal(directory: string): readonly FakeCall[] {
  const text = readFileSync(join(directory, 'calls.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FakeCall);
}

/** Opens `fake`, or with `directory` in its config a platform of its own on that directory. */
export function fakeInfraProvider(fake: FakeInfra, name = 'fake', version = '0.1.0'): ProviderDefinition {
  return defineProvider({
    name,
    version,
    summary: 'A platform in memory with faults on demand.',
    options: async () => z.strictObject({}),
    infraOptions: async () =>
      z.strictObject({
        directory: z.string().optional().describe('Keep the resources in files here.'),
        batches: z.boolean().optional(),
        region: z.string().optional(),
        token: z.string().optional(),
      }),
    open: async ({ config }) => ({
      capabilities: {
        exactSignal: true,
        liveLogs: true,
        streamSplit: true,
        nativeTimeout: true,
        nativeExpiry: true,
        redactsLogs: true,
        resources: [],
        image: 'none',
        workspaceIn: false,
        workspaceOut: false,
      },
      infra: onDirectory(config)?.infra ?? fake.infra,
      [Symbol.asyncDispose]: async () => {},
    }),
  });
}

function onDirectory(config: Json | undefined): FakeInfra | undefined {
  const { directory, batches } = (config ?? {}) as { readonly directory?: Json; readonly batches?: Json };
  return typeof directory === 'string' ? createFakeInfra({ directory, batches: batches === true }) : undefined;
}
