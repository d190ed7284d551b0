// An Errand on a real home: real SQLite, real log files, real time. With a tracer every step of it is numbered.
import { createRedactor } from '@errand/contract';
import type { Json, ProviderDefinition } from '@errand/contract';
import { createEngine, createFileLogs, createProviders, openStore, runtimeOn, systemPorts } from '@errand/core';
import type { Config, LogStore, Runtime, Store } from '@errand/core';
import { join } from 'node:path';
import { traceLogs } from '../faults/trace-logs.ts';
import { traceProvider } from '../faults/trace-provider.ts';
import { traceStore } from '../faults/trace-store.ts';
import type { Tracer } from '../faults/tracer.ts';

export interface Wired extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly logs: LogStore;
}

/** A watched value: it may rest nowhere. */
export const secretValue = 'open-sesame-4711';

export interface WireOptions {
  readonly home: string;
  readonly definition: ProviderDefinition;
  /** Of the environment. */
  readonly options?: Json;
  readonly tracer?: Tracer;
  readonly recover: boolean;
  /** How long a silent watcher keeps its claim, in milliseconds. */
  readonly claimFor?: number;
}

export async function wire(options: WireOptions): Promise<Wired> {
  const { home, tracer } = options;
  const store = await openStore({ home });
  const logs = createFileLogs(join(home, 'logs'));
  const claimFor = options.claimFor ?? 15_000;
  const ports = systemPorts();
  const redact = (text: string) => createRedactor([secretValue]).text(text);
  const definition = tracer ? traceProvider(options.definition, tracer) : options.definition;
  const engine = createEngine({
    home,
    store: tracer ? traceStore(store, tracer) : store,
    logs: tracer ? traceLogs(logs, tracer) : logs,
    ports,
    providers: createProviders({ definitions: [definition], home, ports, redact }),
    secrets: { resolve: async () => secretValue, parse: () => ({ store: 'env', path: 'TOKEN' }) },
    redact,
    settings: { insistEvery: 100, claimFor, beatEvery: claimFor / 3 },
  });
  const runtime = runtimeOn({
    engine,
    config: configFor(options.definition.name, options.options ?? {}),
    home,
    cwd: home,
    recover: options.recover,
  });
  return { runtime, store, logs, [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() };
}

function configFor(provider: string, options: Json): Config {
  const environment = {
    name: 'here',
    provider,
    options,
    resources: {},
    env: {},
    secretEnv: {},
    lease: { policy: 'fresh', ttl: 600_000 },
    grace: 300,
    labels: {},
  } as const;
  return { environments: new Map([['here', environment]]), warnings: [] };
}
