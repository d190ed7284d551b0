// An outside that is held in the test's hand: streams that collect, a runtime that plays a script.
import { ErrandError } from '@errand/contract';
import type { Job, Lease, LogEntry, Outcome, Run, Runtime } from '@errand/core';
import type { Ask } from '../src/context.ts';
import { runProgram } from '../src/program.ts';
import type { Outside } from '../src/program.ts';
import type { Sink } from '../src/sink.ts';

export interface CollectingSink extends Sink {
  text(): string;
  bytes(): Buffer;
}

/** `breaksAfter` writes, the reader is gone. */
export function collectingSink(breaksAfter = Number.POSITIVE_INFINITY): CollectingSink {
  const chunks: Buffer[] = [];
  let failure: string | undefined;
  return {
    isTTY: false,
    columns: undefined,
    async write(bytes) {
      if (chunks.length >= breaksAfter) failure = 'EPIPE';
      if (failure !== undefined) return false;
      chunks.push(Buffer.from(bytes as Uint8Array));
      return true;
    },
    flush: async () => {},
    get failure() {
      return failure;
    },
    text: () => Buffer.concat(chunks).toString(),
    bytes: () => Buffer.concat(chunks),
  };
}

export function fakeRun(change: Partial<Run> = {}): Run {
  return {
    id: '01RUN',
    key: undefined,
    digest: 'd',
    spec: {
      environment: 'local',
      provider: 'local',
      options: {},
      command: { argv: ['true'] },
      env: {},
      secretEnv: {},
      resources: {},
      grace: 1000,
      ttl: 1000,
      labels: {},
      collect: [],
    },
    status: 'closed',
    epoch: 1,
    holder: undefined,
    heldUntil: 0,
    lease: '01LEASE',
    job: undefined,
    cancel: undefined,
    cause: undefined,
    outcome: { kind: 'exited', code: 0 },
    problem: undefined,
    sync: undefined,
    seals: [],
    createdAt: 0,
    startedAt: 1000,
    endedAt: 3500,
    closedAt: 3600,
    ...change,
  };
}

export function fakeLease(change: Partial<Lease> = {}): Lease {
  return {
    id: '01LEASE',
    spec: { environment: 'local', provider: 'local', options: {}, resources: {}, labels: {}, ttl: 1000 },
    status: 'idle',
    epoch: 1,
    run: undefined,
    holder: undefined,
    place: undefined,
    reuseKey: undefined,
    used: false,
    provisioning: undefined,
    expiresAt: 60_000,
    attempts: 0,
    retryAt: 0,
    problem: undefined,
    createdAt: 0,
    endedAt: undefined,
    ...change,
  };
}

export interface FakeJob extends Job {
  /** What was asked of it, in order. */
  readonly asked: string[];
  end(outcome: Outcome, change?: Partial<Run>): void;
}

/** Gives its output, then ends when told; with `outcome`, at once. */
export function fakeJob(output: readonly LogEntry[], outcome?: Outcome, change: Partial<Run> = {}): FakeJob {
  const { promise, resolve } = Promise.withResolvers<Run>();
  const asked: string[] = [];
  const end = (how: Outcome, more: Partial<Run> = {}) => resolve(fakeRun({ outcome: how, ...change, ...more }));
  if (outcome) end(outcome);
  return {
    id: '01RUN',
    created: true,
    asked,
    end,
    closed: promise,
    exit: promise.then((run) => run.outcome ?? { kind: 'cancelled' as const }),
    async *logs() {
      yield* output;
      await promise;
    },
    async cancel(options) {
      asked.push(options?.force ? 'force' : 'ask');
      return promise;
    },
    async detach() {
      asked.push('detach');
    },
    async [Symbol.asyncDispose]() {
      asked.push('dispose');
    },
  };
}

export function entry(stream: 'stdout' | 'stderr', content: string | Uint8Array, cursor = 'c'): LogEntry {
  return { stream, cursor, bytes: Buffer.from(content as Uint8Array) };
}

export interface Played {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly detached: readonly (readonly string[])[];
}

export interface Stage {
  readonly runtime?: Partial<Runtime>;
  readonly out?: CollectingSink;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The terminal's other end; without it there is none. */
  readonly ask?: Ask;
  /** Called with a function that presses Ctrl-C. */
  readonly interrupt?: (press: () => void) => void;
}

export async function play(line: readonly string[], stage: Stage = {}): Promise<Played> {
  const out = stage.out ?? collectingSink();
  const err = collectingSink();
  const detached: (readonly string[])[] = [];
  const left = Promise.withResolvers<number>();
  const listeners = new Set<() => void>();
  const config = { environments: new Map(), warnings: [] };
  const runtime = { home: '/data', config, [Symbol.asyncDispose]: async () => {}, ...stage.runtime } as Runtime;
  const outside: Outside = {
    out,
    err,
    env: stage.env ?? {},
    ...(stage.ask && { ask: stage.ask }),
    cwd: stage.cwd ?? '/work',
    now: () => 10_000,
    async open() {
      if (!stage.runtime) throw new ErrandError('internal/bug', 'this command must not open the runtime');
      return runtime;
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    leave: (status) => {
      left.resolve(status);
      return new Promise<never>(() => {});
    },
    startDetached: async (args) => void detached.push(args),
  };
  const done = runProgram(outside, line);
  stage.interrupt?.(() => {
    for (const listener of listeners) listener();
  });
  const status = await Promise.race([done, left.promise]);
  return { status, out: out.text(), err: err.text(), detached };
}
