// One Errand after the other on one store and one fake cloud, in virtual time: for what becomes of places between runs.
import { createEngine, createProviders, runtimeOn } from '@errand/core';
import type { Environment, LogStore, Outcome, RunRequest, Runtime, Store } from '@errand/core';
import { createFakeCloud } from './fake/cloud.ts';
import type { FakeCloud } from './fake/cloud.ts';
import { fakeProvider } from './fake/provider.ts';
import { createVirtualClock } from './sim/clock.ts';
import type { VirtualClock } from './sim/clock.ts';
import { createChance, seededIds } from './sim/random.ts';

export interface LeaseBed {
  readonly clock: VirtualClock;
  readonly cloud: FakeCloud;
  readonly store: Store;
  /** A process of its own, with these environments. */
  start(environments: readonly Partial<Environment>[], secret?: string): Runtime;
  /** Lets time pass until it settles. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Runs a job in the fake's words to its end, and a moment longer. */
  run(runtime: Runtime, words: string, request?: Omit<RunRequest, 'command'>): Promise<Ran>;
  pass(ms: number): Promise<void>;
}

export interface Ran {
  readonly outcome: Outcome;
  readonly output: string;
  readonly lease: string;
}

const hour = 3_600_000;

export function createLeaseBed(store: Store, logs: LogStore): LeaseBed {
  const clock = createVirtualClock();
  const cloud = createFakeCloud({ clock });
  const chance = createChance(1);
  let id = 0;
  const nextId = () => ++id;

  function start(environments: readonly Partial<Environment>[], secret = 'one'): Runtime {
    const pid = nextId();
    const ports = {
      clock,
      random: seededIds(chance.fork(), nextId),
      identity: { self: { machine: 'here', pid, started: String(pid) }, isDead: () => false },
    };
    const redact = (text: string) => text;
    const engine = createEngine({
      store: { ...store, [Symbol.asyncDispose]: async () => {} },
      logs,
      ports,
      providers: createProviders({ definitions: [fakeProvider(cloud)], home: '/none', ports, redact }),
      secrets: {
        resolve: async () => secret,
        version: async () => `version of ${secret}`,
        parse: () => ({ store: 'env', path: 'X' }),
      },
      redact,
      home: '/none',
    });
    const all = environments.map((one) => [one.name ?? 'box', { ...plain, ...one }] as const);
    const config = { file: '/project/errand.yaml', environments: new Map(all), warnings: [] };
    return runtimeOn({ engine, config, home: '/none', cwd: '/', recover: false });
  }

  const settle = <T>(work: Promise<T>) => clock.drive(work, 24 * hour);

  async function perform(runtime: Runtime, words: string, request: Omit<RunRequest, 'command'>): Promise<Ran> {
    const job = await runtime.run({ environment: 'box', ...request, command: words.split(' ') });
    const outcome = await job.exit;
    const parts: Uint8Array[] = [];
    for await (const entry of runtime.logs(job.id)) parts.push(entry.bytes);
    const { run } = await runtime.show(job.id);
    return { outcome, output: Buffer.concat(parts).toString(), lease: run.lease ?? '' };
  }

  return {
    clock,
    cloud,
    store,
    start,
    settle,
    run: (runtime, words, request = {}) => settle(perform(runtime, words, request)),
    pass: (ms) => settle(clock.sleep(ms)),
  };
}

const plain: Environment = {
  name: 'box',
  provider: 'fake',
  options: {},
  resources: {},
  env: {},
  secretEnv: {},
  lease: { policy: 'fresh', ttl: hour },
  grace: 1000,
  labels: {},
};
