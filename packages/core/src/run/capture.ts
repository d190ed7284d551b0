// The log promise: every byte once, in order, whoever captures it and however often that changes. Each append carries
// the provider's position, so what is written and where to go on can never disagree.
import { isErrandError } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Engine } from '../engine/types.ts';
import type { LogSeal } from '../model/run.ts';
import { backoff } from '../providers/retry.ts';
import { copyLog } from './copy-log.ts';
import type { StartedJob } from './start-job.ts';
import type { Watch } from './watch.ts';

/** How long a log may stay silent after the job is gone before we close without the rest and say so. */
const settle = 60_000;
/** A log that is silent for so long is opened again where it stopped: a connection can die without a word. */
const reopenAfter = 25_000;

/** The log that output goes to: that of a run, or of a lease that is provisioned. */
export interface Log extends Pick<Watch, 'id' | 'epoch' | 'signal'> {
  readonly seals: readonly LogSeal[];
  readonly secretEnv: Readonly<Record<string, string>>;
}

/** Resolves when the job's whole output is kept, or to what had to be given up. */
export async function capture(
  engine: Engine,
  watch: Log,
  job: Pick<StartedJob, 'ref' | 'runner' | 'redactsLogs'>,
  gone: AbortSignal,
): Promise<string | undefined> {
  let position = watch.seals.findLast((seal) => seal.position)?.position;
  await using writer = await engine.logs.writer(watch.id, watch.epoch);
  const secrets = job.redactsLogs ? [] : await secretValues(engine, watch);
  const late = lateness(engine, gone);
  try {
    for (let attempt = 1; ; attempt++) {
      using silent = silence(engine, reopenAfter);
      try {
        const signal = AbortSignal.any([watch.signal, late.signal, silent.signal]);
        const source = job.runner.logs(job.ref, position?.cursor, { signal, log: engine.log });
        for await (const next of copyLog(source, writer, secrets, position)) {
          position = next;
          attempt = 1;
          late.heard();
          silent.heard();
        }
        return undefined;
      } catch (error) {
        watch.signal.throwIfAborted();
        if (silent.signal.aborted && !late.signal.aborted) continue;
        if (!isPassing(error) && !late.signal.aborted) throw error;
        const unknown = isErrandError(error, 'provider/not-found');
        // Ended before anybody heard that it began: there was nothing to lose.
        if (unknown && job.ref.handle === undefined && position === undefined) return undefined;
        if (late.signal.aborted || unknown) return loss(engine, error);
        await engine.ports.clock.sleep(backoff(engine.ports.random, { first: 200, most: 10_000 }, attempt), watch.signal);
      }
    }
  } finally {
    late[Symbol.dispose]();
  }
}

/**
 * Trouble at the far side passes or is waited for. Trouble of our own (a full disk) is not hidden in a loop, least of all
 * in the one that ends without the rest: the next watcher still finds it all.
 */
function isPassing(error: unknown): boolean {
  return isErrandError(error) && error.code.startsWith('provider/');
}

function secretValues(engine: Engine, log: Log): Promise<string[]> {
  return Promise.all(Object.values(log.secretEnv).map((reference) => engine.secrets.resolve(reference)));
}

function loss(engine: Engine, error: unknown): string {
  return engine.redact(`the log may be incomplete: ${error instanceof Error ? error.message : String(error)}`);
}

interface Silence extends Disposable {
  readonly signal: AbortSignal;
  heard(): void;
}

/** Fires when the job has been gone, and its log silent, for the settling time. */
function lateness(engine: Engine, gone: AbortSignal): Silence {
  const late = new AbortController();
  let waiting: Silence | undefined;
  const begin = () => {
    waiting = silence(engine, settle);
    const tooLate = new Error(`no more of it came within ${settle / 1000} s after the job had ended`);
    waiting.signal.addEventListener('abort', () => late.abort(tooLate), { once: true });
  };
  gone.addEventListener('abort', begin, { once: true });
  return {
    signal: late.signal,
    heard: () => waiting?.heard(),
    [Symbol.dispose]: () => {
      gone.removeEventListener('abort', begin);
      waiting?.[Symbol.dispose]();
    },
  };
}

/** Fires when nothing was heard for `ms`. */
function silence(engine: Engine, ms: number): Silence {
  const { clock } = engine.ports;
  const silent = new AbortController();
  const over = new AbortController();
  let heardAt = clock.now();
  const listen = async () => {
    for (let left = ms; left > 0; left = heardAt + ms - clock.now()) {
      await clock.sleep(left, over.signal);
      if (over.signal.aborted) return;
    }
    silent.abort(quietly);
  };
  void listen();
  return { signal: silent.signal, heard: () => void (heardAt = clock.now()), [Symbol.dispose]: () => over.abort(quietly) };
}
