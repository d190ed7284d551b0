// Bad manners on demand. Every request passes here on its way to the far side and its answer on the way back.
import { ErrandError } from '@errand/contract';
import type { ErrorCode } from '@errand/contract';
import type { Clock } from '@errand/core';

export type Method =
  | 'host.acquire'
  | 'host.renew'
  | 'host.realize'
  | 'host.collect'
  | 'host.release'
  | 'host.inventory'
  | 'runner.start'
  | 'runner.wait'
  | 'runner.logs'
  | 'runner.stop'
  | 'runner.find';

export type Manner =
  /** The request takes so long to arrive. */
  | { readonly do: 'delay'; readonly ms: number }
  /** An error and no effect: `provider/throttled` for a 429, `provider/capacity` for a full cloud. */
  | { readonly do: 'refuse'; readonly code: ErrorCode }
  /** The effect, and then an error instead of the answer. */
  | { readonly do: 'lose-reply' }
  /** The request arrives twice. */
  | { readonly do: 'repeat' }
  /** No effect and no answer until the caller gives up. */
  | { readonly do: 'hang' }
  /** The effect, and no answer until the caller gives up. */
  | { readonly do: 'hang-after' }
  /** An error at once; the request arrives `ms` later all the same. */
  | { readonly do: 'late'; readonly ms: number }
  /** A stream or a list breaks off with an error after so many items. */
  | { readonly do: 'cut'; readonly after: number }
  /** A stream or a list falls silent after so many items, until the caller gives up. */
  | { readonly do: 'stall'; readonly after: number };

export interface Rule {
  readonly on: Method | 'any';
  readonly manner: Manner;
  /** Only these calls of the method, counted from 1, both ends included. All when absent. */
  readonly calls?: readonly [first: number, last: number];
  /** Only so often, in [0, 1]. */
  readonly chance?: number;
  /** Only until this time of the clock. */
  readonly until?: number;
}

export interface Manners {
  add(rule: Rule): void;
  /** Good manners from now on. What hangs goes on hanging. */
  clear(): void;
  /** Calls so far, repeated deliveries not counted. */
  calls(method: Method): number;
  /** For a stream: how it goes on after each item, and at its end. */
  stream(method: Method, signal: AbortSignal): Promise<{ item(): Promise<void>; end(): Promise<void> }>;
  /** Brings one request to the far side. `effect` must be free to be called twice, or after the caller was told of an error. */
  deliver<T>(method: Method, signal: AbortSignal, effect: () => T): Promise<T>;
}

export function createManners(clock: Clock, random: () => number): Manners {
  const rules: Rule[] = [];
  const counts = new Map<Method, number>();

  function pick(method: Method): Manner | undefined {
    const call = (counts.get(method) ?? 0) + 1;
    counts.set(method, call);
    const applies = (rule: Rule) =>
      (rule.on === method || rule.on === 'any') &&
      (!rule.calls || (rule.calls[0] <= call && call <= rule.calls[1])) &&
      (rule.until === undefined || clock.now() < rule.until) &&
      (rule.chance === undefined || random() < rule.chance);
    return rules.find(applies)?.manner;
  }

  async function deliver<T>(method: Method, signal: AbortSignal, effect: () => T): Promise<T> {
    const manner = pick(method);
    signal.throwIfAborted();
    switch (manner?.do) {
      case undefined:
      case 'cut':
      case 'stall':
        return effect();
      case 'delay':
        await clock.sleep(manner.ms, signal);
        signal.throwIfAborted();
        return effect();
      case 'refuse':
        throw new ErrandError(manner.code, `asked the fake cloud for ${method}; it refused`);
      case 'lose-reply':
        effect();
        throw lost(method);
      case 'repeat':
        effect();
        return effect();
      case 'hang':
        return aborted(signal);
      case 'hang-after':
        effect();
        return aborted(signal);
      case 'late':
        void clock.sleep(manner.ms).then(() => attempt(effect));
        throw lost(method);
    }
  }

  /** For a stream `repeat` has no meaning, and what is not about items happens before the first. */
  async function stream(method: Method, signal: AbortSignal) {
    const manner = pick(method);
    if (manner?.do === 'delay') await clock.sleep(manner.ms, signal);
    signal.throwIfAborted();
    const good = manner === undefined || manner.do === 'delay' || manner.do === 'repeat';
    let left = good ? Infinity : 'after' in manner ? manner.after : 0;
    const trouble = async (): Promise<void> => {
      if (manner?.do === 'stall' || manner?.do === 'hang' || manner?.do === 'hang-after') await aborted(signal);
      throw manner?.do === 'refuse'
        ? new ErrandError(manner.code, `asked the fake cloud for ${method}; it refused`)
        : lost(method);
    };
    return {
      item: async () => {
        if (left-- <= 0) await trouble();
      },
      end: async () => {
        if (!good) await trouble();
      },
    };
  }

  return {
    stream,
    add: (rule) => void rules.push(rule),
    clear: () => void rules.splice(0),
    calls: (method) => counts.get(method) ?? 0,
    deliver,
  };
}

function lost(method: Method): ErrandError {
  return new ErrandError(
    'provider/unreachable',
    `asked the fake cloud for ${method}; the connection broke before an answer came`,
  );
}

/** Nobody listens any more to what a late request gives. */
function attempt(effect: () => unknown): void {
  try {
    effect();
  } catch {
    // Refused by the far side: then it has no effect, which is an answer too.
  }
}

function aborted<T>(signal: AbortSignal): Promise<T> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
