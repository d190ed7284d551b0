// The one wrapper around every provider: rate, deadline, retry by error class, and typed, redacted errors. Providers
// stay naive. Streams (logs, lists) are only admitted and translated: their callers resume from a cursor.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Ask, Host, Provider, Runner } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Ports } from '../ports.ts';
import type { Bucket } from './bucket.ts';
import { retrying } from './retry.ts';
import type { RetryPolicy } from './retry.ts';

export interface GuardOptions {
  readonly name: string;
  readonly ports: Pick<Ports, 'clock' | 'random'>;
  readonly bucket: Bucket | undefined;
  readonly redact: (text: string) => string;
}

const policy: RetryPolicy = { attempts: 5, first: 200, most: 5_000 };
/** A place or an image may take minutes to come; everything else answers soon or not at all. */
export const slow = 10 * 60_000;
export const quick = 60_000;

export function guardProvider(provider: Provider, options: GuardOptions): Provider {
  const check = provider.check?.bind(provider);
  return {
    capabilities: provider.capabilities,
    ...(provider.host && { host: guardHost(provider.host, options) }),
    ...(provider.runner && { runner: guardRunner(provider.runner, options) }),
    ...(check && { check: (request, ask) => guarded(options, 'check', quick, ask, (inner) => check(request, inner)) }),
    ...(provider.warm && { warm: provider.warm.bind(provider) }),
    ...(provider.account && { account: provider.account.bind(provider) }),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

function guardHost(host: Host, options: GuardOptions): Host {
  return {
    acquire: (spec, call) => guarded(options, 'acquire', slow, call, (inner) => host.acquire(spec, inner)),
    renew: (place, expiresAt, call) => guarded(options, 'renew', quick, call, (inner) => host.renew(place, expiresAt, inner)),
    // The files can be read once only, so the step that lists them repeats the whole call instead.
    realize: (place, files, call) => attempt(options, 'realize', slow, call, (inner) => host.realize(place, files, inner)),
    collect: (place, patterns, ask) => stream(options, 'collect', ask, () => host.collect(place, patterns, ask)),
    release: (place, call) => guarded(options, 'release', slow, call, (inner) => host.release(place, inner)),
    inventory: (owner, ask) => stream(options, 'inventory', ask, () => host.inventory(owner, ask)),
  };
}

function guardRunner(runner: Runner, options: GuardOptions): Runner {
  return {
    start: (spec, call) => guarded(options, 'start', slow, call, (inner) => runner.start(spec, inner)),
    // Waiting ends when the job does; only its caller knows how long that may take.
    wait: (job, ask) => guarded(options, 'wait', undefined, ask, (inner) => runner.wait(job, inner)),
    logs: (job, after, ask) => stream(options, 'logs', ask, () => runner.logs(job, after, ask)),
    stop: (job, how, call) => guarded(options, 'stop', quick, call, (inner) => runner.stop(job, how, inner)),
    find: (owner, ask) => stream(options, 'find', ask, () => runner.find(owner, ask)),
  };
}

export function guarded<C extends Ask, T>(
  options: GuardOptions,
  verb: string,
  limit: number | undefined,
  call: C,
  work: (call: C) => Promise<T>,
  unless?: RetryPolicy['unless'],
): Promise<T> {
  return retrying(options.ports, { ...policy, unless }, call.signal, () => attempt(options, verb, limit, call, work));
}

async function attempt<C extends Ask, T>(
  options: GuardOptions,
  verb: string,
  limit: number | undefined,
  call: C,
  work: (call: C) => Promise<T>,
): Promise<T> {
  call.signal.throwIfAborted();
  if (options.bucket) await options.bucket.take(call.signal);
  const own = new AbortController();
  const inner = { ...call, signal: AbortSignal.any([call.signal, own.signal]) };
  const settled = new AbortController();
  try {
    const contenders = [work(inner), aborted<T>(call.signal, settled.signal)];
    if (limit !== undefined) contenders.push(expire<T>(options, verb, limit, settled.signal, own));
    return await Promise.race(contenders);
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason;
    throw translate(options, verb, error);
  } finally {
    settled.abort(quietly);
  }
}

/** A provider that ignores its signal must not hold its caller: the call is left behind, what it made is found by key. */
function aborted<T>(signal: AbortSignal, settled: AbortSignal): Promise<T> {
  return new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    settled.addEventListener('abort', () => signal.removeEventListener('abort', onAbort), { once: true });
  });
}

async function expire<T>(
  options: GuardOptions,
  verb: string,
  limit: number,
  settled: AbortSignal,
  own: AbortController,
): Promise<T> {
  await options.ports.clock.sleep(limit, settled);
  if (settled.aborted) return new Promise<T>(() => {});
  const error = new ErrandError('provider/timeout', `asked ${options.name} to ${verb}; no answer came within ${limit / 1000} s`);
  own.abort(error);
  throw error;
}

export async function* stream<T>(options: GuardOptions, verb: string, ask: Ask, open: () => AsyncIterable<T>): AsyncIterable<T> {
  ask.signal.throwIfAborted();
  if (options.bucket) await options.bucket.take(ask.signal);
  try {
    yield* open();
  } catch (error) {
    if (ask.signal.aborted) throw ask.signal.reason;
    throw translate(options, verb, error);
  }
}

function translate(options: GuardOptions, verb: string, error: unknown): ErrandError {
  if (isErrandError(error)) {
    if (error.code === 'provider/throttled') options.bucket?.pause(options.ports.clock.now() + 1_000);
    const message = options.redact(error.message);
    if (message === error.message) return error;
    return new ErrandError(error.code, message, { retry: error.retry, ...(error.next && { next: options.redact(error.next) }) });
  }
  const text = error instanceof Error ? error.message : String(error);
  return new ErrandError('provider/failed', options.redact(`asked ${options.name} to ${verb}; it failed: ${text}`), {
    cause: error,
  });
}
