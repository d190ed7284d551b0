import { isErrandError } from '@errand/contract';
import type { JobExit } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Engine } from '../engine/types.ts';
import type { Run } from '../model/run.ts';
import { backoff } from '../providers/retry.ts';
import { capture } from './capture.ts';
import type { StartedJob } from './start-job.ts';
import { insist } from './stop-job.ts';
import type { Watch } from './watch.ts';

export interface Followed {
  readonly exit: JobExit;
  /** A stop was sent before the end was seen. */
  readonly stopped: boolean;
  /** What is wrong with the captured log, if anything. */
  readonly problem: string | undefined;
}

/** Output and exit, together; ends the job when it is to be ended. The exit is the proof that it is gone. */
export async function followJob(engine: Engine, watch: Watch, job: StartedJob): Promise<Followed> {
  const gone = new AbortController();
  const stopping = insist(engine, watch, job, gone.signal);
  try {
    const note = (problem: string) => noteProblem(engine, watch, problem);
    const waiting = waitForEnd(engine, job, watch.signal, note).finally(() => gone.abort(quietly));
    const log = { id: watch.id, epoch: watch.epoch, signal: watch.signal, ...logOf(watch.run) };
    const [exit, problem] = await Promise.all([waiting, capture(engine, log, job, gone.signal)]);
    const { sent } = await stopping;
    return { exit, stopped: sent, problem };
  } finally {
    gone.abort(quietly);
    await stopping.catch(() => {});
  }
}

const logOf = ({ seals, spec }: Run) => ({ seals, secretEnv: spec.secretEnv });

async function noteProblem(engine: Engine, watch: Watch, problem: string): Promise<void> {
  watch.run = await engine.store.noteRun(watch.id, watch.epoch, { problem }, engine.ports.clock.now());
}

/** A provider that cannot be asked right now is asked again, for as long as it takes; `note` hears of it meanwhile. */
export async function waitForEnd(
  engine: Engine,
  job: Pick<StartedJob, 'ref' | 'runner'>,
  signal: AbortSignal,
  note: (problem: string) => Promise<void> = async () => {},
): Promise<JobExit> {
  for (let attempt = 1; ; attempt++) {
    try {
      const exit = await askForAWhile(engine, signal, (asking) => job.runner.wait(job.ref, { signal: asking, log: engine.log }));
      if (exit) return exit;
      attempt = 0;
      continue;
    } catch (error) {
      signal.throwIfAborted();
      if (isErrandError(error, 'provider/not-found')) return { kind: 'lost', evidence: error.message };
      await note(engine.redact(`cannot learn how the job is doing: ${error instanceof Error ? error.message : String(error)}`));
      await engine.ports.clock.sleep(backoff(engine.ports.random, { first: 500, most: 30_000 }, attempt), signal);
      signal.throwIfAborted();
    }
  }
}

/** A connection can die without a word; then only asking again tells. Undefined when no answer came for that long. */
const askAgainAfter = 60_000;

async function askForAWhile<T>(
  engine: Engine,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const again = new AbortController();
  const answered = new AbortController();
  const patience = engine.ports.clock.sleep(askAgainAfter, answered.signal).then(() => again.abort(quietly));
  try {
    return await ask(AbortSignal.any([signal, again.signal]));
  } catch (error) {
    if (again.signal.aborted && !signal.aborted) return undefined;
    throw error;
  } finally {
    answered.abort(quietly);
    await patience;
  }
}
