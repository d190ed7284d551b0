// One process for each configured provider, however many calls come at once. It is launched by the first call, and again by
// the first call after its death, later each time that it dies young.
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrandError, isErrandError } from '@errand/contract';

/** Something launched. */
export interface Alive<T> {
  readonly value: T;
  /** Resolves when it is gone, with why. */
  readonly gone: Promise<string>;
  /** Why it is gone; undefined while it lives. */
  readonly epitaph: () => string | undefined;
  readonly stop: () => Promise<void>;
}

export interface Kept<T> extends AsyncDisposable {
  /** Runs `call` on the living one. Its end in the middle is `provider/unreachable`; the same call may be made again at once. */
  use<R>(signal: AbortSignal, call: (value: T) => Promise<R>): Promise<R>;
  /** The same for a call that gives its answer piece by piece. */
  each<R>(signal: AbortSignal, call: (value: T) => AsyncIterable<R>): AsyncIterable<R>;
}

export interface KeepOptions {
  readonly name: string;
  /** One that lived this long gets no pause before it is launched again. */
  readonly settled?: number;
  readonly firstPause?: number;
  readonly longestPause?: number;
}

/** How long the news of a death may take to arrive after the connection broke. */
const newsPatience = 500;

/** The signal of `launch` fires when what is kept is given up before it is launched. */
export function keep<T>(launch: (signal: AbortSignal) => Promise<Alive<T>>, options: KeepOptions): Kept<T> {
  const { name, settled = 30_000, firstPause = 200, longestPause = 10_000 } = options;
  let current: Promise<Alive<T>> | undefined;
  const closing = new AbortController();
  let early = 0;
  let notBefore = 0;

  function begin(): Promise<Alive<T>> {
    const begun = performance.now();
    const died = () => {
      if (performance.now() - begun >= settled) early = 0;
      else early++;
      const pause = early === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (early - 1));
      notBefore = performance.now() + pause;
      if (current === launching) current = undefined;
    };
    const launching = launch(closing.signal);
    launching.then((alive) => void alive.gone.then(died), died);
    return launching;
  }

  async function living(signal: AbortSignal): Promise<Alive<T>> {
    for (;;) {
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      // A launch serves everybody who waits for it, so one caller's signal ends that caller's waiting only.
      if (current !== undefined) return await orAbort(current, signal);
      const pause = notBefore - performance.now();
      if (pause <= 0) current = begin();
      else await sleep(pause, undefined, { signal });
    }
  }

  async function translate(error: unknown, alive: Alive<T>): Promise<unknown> {
    if (!isErrandError(error, 'provider/unreachable')) return error;
    await Promise.race([alive.gone, sleep(newsPatience)]);
    const epitaph = alive.epitaph();
    if (epitaph === undefined) return error;
    return new ErrandError('provider/unreachable', `called the provider ${name}: ${epitaph} in the middle of the call`, {
      next: 'It is launched again by the next call.',
      retry: 'safe',
      cause: error,
    });
  }

  return {
    async use(signal, call) {
      const alive = await living(signal);
      try {
        return await call(alive.value);
      } catch (error) {
        throw await translate(error, alive);
      }
    },
    async *each(signal, call) {
      const alive = await living(signal);
      try {
        yield* call(alive.value);
      } catch (error) {
        throw await translate(error, alive);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new ErrandError('provider/unreachable', `the provider ${name} was closed`, { retry: 'never' }));
      const last = await current?.catch(() => undefined);
      await last?.stop();
    },
  };
}

async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
