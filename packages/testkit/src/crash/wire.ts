// An Errand on a real home: real SQLite, real log files, real time. With a tracer every step of it is numbered.
import { createRedactor } from '@errand/contract';
import type { Json, ProviderDefinition } from '@errand/contract';
import { createEngine, createFileLogs, createProviders, openStore, runtimeOn, systemPorts } from '@errand/core';
import type { Config, Environment, LogStore, Runtime, Store } from '@errand/core';
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
  readonly tracer?: Tracer;
  readonly recover: boolean;
  /** How long a silent watcher keeps its claim, in milliseconds. */
  readonly claimFor?: number;
  readonly environment?: { readonly image?: string; readonly options: Json };
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
    secrets: { resolve: async () => secretValue, version: async () => 'first', parse: () => ({ store: 'env', path: 'TOKEN' }) },
    redact,
    settings: { insistEvery: 100, claimFor, beatEvery: claimFor / 3 },
  });
  // Whoever cleans up must not make anything new behind its own back.
  const refill = tracer ? undefined : () => {};
  const config = configFor(options);
  const runtime = runtimeOn({ engine, config, home, cwd: home, recover: options.recover, refill });
  return { runtime, store, logs, [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() };
}

function configFor({ definition, environment }: WireOptions): Config {
  const provider = definition.name;
  const shared = { provider, options: {}, resources: {}, env: {}, secretEnv: {}, grace: 300, labels: {}, ...environment };
  const ttl = 600_000;
  const provision = [
    { argv: [provider === 'fake' ? 'say' : 'echo', 'first'] },
    { argv: [provider === 'fake' ? 'say' : 'echo', 'second'] },
  ];
  const environments: readonly Environment[] = [
    { ...shared, name: 'here', lease: { policy: 'fresh', ttl } },
    { ...shared, name: 'again', lease: { policy: 'reuse', ttl }, provision },
    { ...shared, name: 'ready', lease: { policy: 'fresh', ttl }, warm: 1, provision: provision.slice(1) },
  ];
  return { environments: new Map(environments.map((one) => [one.name, one])), warnings: [] };
}
