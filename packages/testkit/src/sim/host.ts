import type { Config, Identity, LogStore, Ports, Runtime, Store } from '@errand/core';
import { createEngine, createProviders, runtimeOn } from '@errand/core';
import type { FakeCloud } from '../fake/cloud.ts';
import { fakeProvider } from '../fake/provider.ts';
import { traceLogs } from '../faults/trace-logs.ts';
import { traceProvider } from '../faults/trace-provider.ts';
import { traceStore } from '../faults/trace-store.ts';
import { createTracer } from '../faults/tracer.ts';
import type { OnStep } from '../faults/tracer.ts';
import { watchEpochs } from '../faults/watch-epochs.ts';
import { createFate } from './fate.ts';
import type { Fate } from './fate.ts';
import { seededIds } from './random.ts';
import type { Chance } from './random.ts';
import type { VirtualClock } from './clock.ts';

/** What all hosts of a story share. */
export interface Ground {
  readonly chance: Chance;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly logs: LogStore;
  readonly cloud: FakeCloud;
  readonly config: Config;
  readonly nextId: () => number;
  /** By pid: who is dead, for hosts of the same machine to see. */
  readonly dead: Set<number>;
  readonly tell: (line: string) => void;
  /** A broken promise that only shows while it happens. */
  readonly complain: (line: string) => void;
}

export interface SimHost {
  readonly name: string;
  readonly fate: Fate;
  readonly runtime: Runtime;
  readonly isDead: () => boolean;
}

/** One process of Errand, with its own identity, on the shared store and cloud. */
export function startHost(ground: Ground, machine: string): SimHost {
  const pid = ground.nextId();
  const name = `${machine}/${pid}`;
  const fate = createFate(ground.clock, () => {
    ground.dead.add(pid);
    ground.tell(`${name} dies`);
  });
  const onStep: OnStep = (phase, step, n) => {
    if (phase === 'before') ground.tell(`${name} ${step}`);
    return fate.onStep(phase, step, n);
  };
  const tracer = createTracer(onStep, { reads: true });
  const identity: Identity = {
    self: { machine, pid, started: String(pid) },
    isDead: (holder) => holder.machine === machine && ground.dead.has(holder.pid),
  };
  const ports: Ports = { clock: fate.clock, random: seededIds(ground.chance.fork(), ground.nextId), identity };
  const definitions = [traceProvider(fakeProvider(ground.cloud), tracer)];
  const redact = (text: string) => text;
  const engine = createEngine({
    store: {
      ...traceStore(watchEpochs(ground.store, ground.complain), tracer),
      watch: (listener) => ground.store.watch(() => fate.dead || listener()),
      [Symbol.asyncDispose]: async () => {},
    },
    logs: traceLogs(ground.logs, tracer),
    ports,
    providers: createProviders({ definitions, home: '/simulated', ports, redact }),
    secrets: {
      resolve: async () => 'a secret value',
      version: async () => 'first',
      parse: () => ({ store: 'sim', path: 'any' }),
    },
    redact,
    home: '/simulated',
    log: (line) => ground.tell(`${name} says: ${line}`),
  });
  const runtime = runtimeOn({ engine, config: ground.config, home: '/simulated', cwd: '/', recover: true });
  return { name, fate, runtime, isDead: () => fate.dead };
}
