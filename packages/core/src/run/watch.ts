// Watching a run: keeps the claim alive, and turns what others ask of the run (cancel) and what the clock says
// (deadlines) into one signal, `ending`. The cause is written down before the signal fires, and the first one wins.
import { ErrandError, isErrandError } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Engine } from '../engine/types.ts';
import type { Cause, Run } from '../model/run.ts';

export interface Watch extends AsyncDisposable {
  readonly id: string;
  readonly epoch: number;
  /** The row as we last saw or wrote it. */
  run: Run;
  /** Fires when we must let the run be: another watcher has it, or we were told to leave. Ends calls, never the job. */
  readonly signal: AbortSignal;
  /** Fires when the job is to be ended; `run.cause` says why. */
  readonly ending: AbortSignal;
  /** Fires when somebody will not wait for the grace period. */
  readonly forced: AbortSignal;
}

/** Looks at the row at most this often, however busy the store is. */
const lookEvery = 50;
/** Every write of anybody wakes us; a reason of our own spares it the stack of an AbortError. */

export function watchRun(engine: Engine, claimed: Run, leave: AbortSignal): Watch {
  const { store } = engine;
  const { clock } = engine.ports;
  const over = new AbortController();
  const ending = new AbortController();
  const forced = new AbortController();
  let wake = new AbortController();
  let beatAt = clock.now() + engine.settings.beatEvery;
  const watch: Watch = {
    id: claimed.id,
    epoch: claimed.epoch,
    run: claimed,
    signal: AbortSignal.any([over.signal, leave]),
    ending: ending.signal,
    forced: forced.signal,
    [Symbol.asyncDispose]: async () => {
      done = true;
      wake.abort(quietly);
      subscription[Symbol.dispose]();
      await attending;
      // When one of two things that went on together failed, the other one is still asking.
      over.abort(quietly);
    },
  };
  let done = false;
  let changed = false;
  let idle = false;
  const subscription = store.watch(() => {
    changed = true;
    if (idle) wake.abort(quietly);
  });
  react(claimed);
  const attending = attend();

  async function attend(): Promise<void> {
    while (!done && !watch.signal.aborted) {
      const until = Math.min(beatAt, deadline(watch.run)?.at ?? Infinity);
      idle = !changed;
      if (idle) await clock.sleep(Math.max(0, until - clock.now()), wake.signal);
      idle = false;
      if (wake.signal.aborted && !done) wake = new AbortController();
      // Most changes are our own; a pause gathers them, and a short run is over before anybody looks.
      if (changed) await clock.sleep(Math.min(lookEvery, Math.max(0, until - clock.now())), wake.signal);
      if (done || watch.signal.aborted) return;
      changed = false;
      await look().catch(giveUpWhenFenced);
    }
  }

  async function look(): Promise<void> {
    const now = clock.now();
    const beat = now >= beatAt;
    const run = beat ? await store.beatRun(watch.id, watch.epoch, now + engine.settings.claimFor) : await store.run(watch.id);
    if (beat) beatAt = now + engine.settings.beatEvery;
    if (!run || done) return;
    if (run.epoch !== watch.epoch) throw fenced(watch);
    // Our own later write may have overtaken this read; a row that moves backwards is not taken.
    react(run);
    const passed = deadline(run);
    if (passed && now >= passed.at) await end(passed.cause);
  }

  function react(run: Run): void {
    if (run.cause) ending.abort();
    if (run.cancel === 'force') forced.abort();
    if (run.cancel && !run.cause) void end({ kind: 'cancelled' }).catch(giveUpWhenFenced);
  }

  async function end(cause: Cause): Promise<void> {
    if (ending.signal.aborted || watch.run.outcome) return;
    const noted = await store.noteRun(watch.id, watch.epoch, { cause }, clock.now());
    watch.run = { ...watch.run, cause: noted.cause };
    ending.abort();
  }

  function giveUpWhenFenced(error: unknown): void {
    if (isErrandError(error, 'run/fenced')) over.abort(error);
    // Any other trouble with the store passes or does not; a claim that could not be renewed in time is lost.
    else if (clock.now() > beatAt - engine.settings.beatEvery + engine.settings.claimFor) over.abort(fenced(watch));
  }

  return watch;
}

function deadline(run: Run): { readonly at: number; readonly cause: Cause } | undefined {
  if (run.cause || run.outcome) return undefined;
  const { timeout, pendingTimeout } = run.spec;
  if (run.startedAt !== undefined) {
    return timeout === undefined ? undefined : { at: run.startedAt + timeout, cause: { kind: 'timed-out', after: 'running' } };
  }
  return pendingTimeout === undefined
    ? undefined
    : { at: run.createdAt + pendingTimeout, cause: { kind: 'timed-out', after: 'pending' } };
}

function fenced(watch: Watch): ErrandError {
  return new ErrandError('run/fenced', `another process watches ${watch.id} now`);
}
