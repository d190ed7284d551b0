import type { Engine } from '../engine/types.ts';
import { followLog } from '../logs/follow.ts';
import type { Run } from '../model/run.ts';
import { attendRun, followRun, unlessFenced } from '../run/follow-run.ts';
import { logViewOf } from './log-view.ts';
import type { Job } from './sdk.ts';

export interface JobParts {
  readonly id: string;
  readonly created: boolean;
  /** The run as we claimed it; absent: it is followed, and taken over only when its watcher is dead. */
  readonly claimed?: Run;
  /** Fires when the runtime closes. */
  readonly leave: AbortSignal;
}

export function createJob(engine: Engine, parts: JobParts): Job {
  const { id } = parts;
  const detached = new AbortController();
  const leave = AbortSignal.any([parts.leave, detached.signal]);
  let settled = false;
  const closed = watch(engine, parts, leave).finally(() => (settled = true));
  const exit = closed.then(
    (run) => run.outcome ?? ({ kind: 'lost', evidence: 'the run was closed without an outcome' } as const),
  );
  // Whoever does not ask for the end must not be stopped by our not being able to watch it.
  closed.catch(() => {});
  exit.catch(() => {});

  async function cancel(options?: { readonly force?: boolean }): Promise<Run> {
    await engine.store.cancelRun(id, options?.force ? 'force' : 'ask', engine.ports.clock.now());
    return closed;
  }

  return {
    id,
    created: parts.created,
    exit,
    closed,
    cancel,
    logs: (options) => followLog(logViewOf(engine, id), id, { ...options, signal: leave }),
    async detach() {
      detached.abort(new Error(`${id} is left to the next watcher`));
      await closed.catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      if (!settled && !leave.aborted) await cancel();
    },
  };
}

async function watch(engine: Engine, parts: JobParts, leave: AbortSignal): Promise<Run> {
  const mine = parts.claimed && (await unlessFenced(attendRun(engine, parts.claimed, leave)));
  return mine ?? followRun(engine, parts.id, leave);
}
