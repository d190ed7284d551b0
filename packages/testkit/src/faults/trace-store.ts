import type { Reads, Store, Writes } from '@errand/core';
import type { Tracer } from './tracer.ts';

const writes = [
  'openRun',
  'claimRun',
  'beatRun',
  'letGoRun',
  'advanceRun',
  'noteRun',
  'cancelRun',
  'openLease',
  'advanceLease',
  'takeLease',
  'takeIdle',
  'openWarm',
] as const satisfies readonly (keyof Writes)[];

const reads = [
  'run',
  'findRuns',
  'runByKey',
  'runs',
  'lease',
  'findLeases',
  'leases',
  'providersUsed',
  'events',
] as const satisfies readonly (keyof Reads)[];

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A transaction is one step: the database makes it all or nothing, so there is no place inside it to die at. */
export function traceStore(store: Store, tracer: Tracer): Store {
  const traced: Record<string, Method> = {};
  for (const name of writes) {
    const method = (store[name] as Method).bind(store);
    traced[name] = (...args) => tracer.step(`store.${name}${detail(args)}`, () => method(...args));
  }
  for (const name of reads) {
    const method = (store[name] as Method).bind(store);
    traced[name] = (...args) => tracer.read(`store.${name}`, () => method(...args));
  }
  return {
    ...(traced as unknown as Reads & Writes),
    owner: store.owner,
    transaction: (work) => tracer.step('store.transaction', () => store.transaction(work)),
    watch: (listener) => store.watch(listener),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** The event of an `advance`, so that a step tells what it was for. */
function detail(args: readonly unknown[]): string {
  return typeof args[1] === 'number' && typeof args[2] === 'string' ? `(${args[2]})` : '';
}
