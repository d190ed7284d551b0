// The far side of the fake provider: places and jobs that outlive whoever asked for them. All time is the clock's, all
// chance is `random`, so a simulation repeats exactly from its seed.
import { isErrandError } from '@errand/contract';
import type { ErrandError, JobEnd, Stream } from '@errand/contract';
import type { Clock } from '@errand/core';
import { memoryBacking } from './backing.ts';
import type { Backing } from './backing.ts';
import { createManners } from './manners.ts';
import type { Manners } from './manners.ts';
import { findJob } from './requests.ts';
import type { Commands } from './script.ts';
import type { CloudState, JobRecord, JournalEntry, PlaceRecord } from './state.ts';
import { endPlace, outputUntil, settle, startsRunning } from './timeline.ts';

/** Standing traits, in contrast to the manners of single calls. */
export interface Traits {
  /** What was made is missing from lists for so long. */
  readonly listLag: number;
  /** Output shows up so long after it was written, also when the job has ended by then. */
  readonly logLag: number;
  /** From a stop request to the end. */
  readonly stopTakes: number;
  /** Output is given in pieces of at most so many bytes. */
  readonly chunk: number;
  /** The far side ends a job at its deadline. */
  readonly nativeTimeout: boolean;
}

export interface FakeCloudOptions {
  readonly clock: Clock;
  /** In [0, 1); needed for rules with a chance. */
  readonly random?: () => number;
  readonly backing?: Backing;
  readonly traits?: Partial<Traits>;
  /** Consulted before the fake's own language of `script.ts`. */
  readonly commands?: Commands;
}

/** How a job really went, whatever anybody heard of it. */
export interface Truth {
  readonly key: string;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly end: JobEnd | undefined;
  readonly place: PlaceRecord | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FakeCloud extends Disposable {
  readonly clock: Clock;
  readonly traits: Traits;
  readonly manners: Manners;
  readonly commands: Commands | undefined;
  /** One atomic step of the far side, at its present time. A returned error is thrown. */
  step<T>(work: (state: CloudState, now: number) => T | ErrandError): T;
  /** Waits for `ms`, or less when something changes on the far side. Rejects with the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** The place and all in it are gone, and nobody was asked. */
  destroy(placeKey: string): void;
  /** Every place that ever was; those with `goneAt` are gone. */
  places(): readonly PlaceRecord[];
  jobs(): readonly JobRecord[];
  journal(): readonly JournalEntry[];
  /** How often a key really started a job. */
  starts(jobKey: string): number;
  truth(jobKey: string): Truth | undefined;
}

/** Without a reason of our own each wake-up would capture a stack. */
const woken = 'woken';

const goodTraits: Traits = { listLag: 0, logLag: 0, stopTakes: 0, chunk: 64 * 1024, nativeTimeout: true };

export function createFakeCloud(options: FakeCloudOptions): FakeCloud {
  const { clock } = options;
  const backing = options.backing ?? memoryBacking();
  const traits = { ...goodTraits, ...options.traits };
  const waiting = new Set<AbortController>();

  function step<T>(work: (state: CloudState, now: number) => T | ErrandError): T {
    const result = backing.change((state) => {
      const now = clock.now();
      const before = state.journal.length;
      settle(state, now, traits.nativeTimeout);
      const value = work(state, now);
      return { value, changed: state.journal.length !== before };
    });
    if (result.changed) for (const waiter of waiting) waiter.abort(woken);
    if (isErrandError(result.value)) throw result.value;
    return result.value;
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waiter = new AbortController();
    const wake = () => waiter.abort(woken);
    waiting.add(waiter);
    signal.addEventListener('abort', wake);
    await clock.sleep(Math.min(ms, backing.lookAgain ?? Infinity), waiter.signal);
    signal.removeEventListener('abort', wake);
    waiting.delete(waiter);
    signal.throwIfAborted();
  }

  function destroy(placeKey: string): void {
    step((state, now) => {
      const place = state.places.find((candidate) => candidate.key === placeKey && candidate.goneAt === undefined);
      if (!place) return;
      endPlace(state, place, now, 'death', traits.nativeTimeout);
      state.journal.push({ at: now, method: 'destroy', key: placeKey, place: place.id, epoch: place.epoch, result: 'done' });
    });
  }

  function truth(jobKey: string): Truth | undefined {
    return step((state, now) => {
      const job = findJob(state, jobKey);
      if (!job) return undefined;
      const text = (stream: Stream) =>
        outputUntil(job, now)
          .filter((piece) => piece.stream === stream)
          .map((piece) => piece.text)
          .join('');
      const runsAt = startsRunning(job);
      const until = job.ended?.at ?? now;
      return {
        key: jobKey,
        startedAt: runsAt !== undefined && runsAt <= until ? runsAt : undefined,
        endedAt: job.ended?.at,
        end: job.ended?.end,
        place: state.places.find((place) => place.id === job.place),
        stdout: text('stdout'),
        stderr: text('stderr'),
      };
    });
  }

  return {
    clock,
    traits,
    manners: createManners(clock, options.random ?? (() => 0)),
    commands: options.commands,
    step,
    pause,
    destroy,
    places: () => step((state) => state.places.map((place) => ({ ...place }))),
    jobs: () => step((state) => state.jobs.map((job) => ({ ...job }))),
    journal: () => step((state) => [...state.journal]),
    starts: (jobKey) => step((state) => state.starts[jobKey] ?? 0),
    truth,
    [Symbol.dispose]: () => backing[Symbol.dispose](),
  };
}
