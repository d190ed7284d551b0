// The terminal side of a run: shows its output, passes Ctrl-C on, and ends with its status.
import { ErrandError, isErrandError } from '@errand/contract';
import type { Job, Run, Runtime } from '@errand/core';
import { printJson } from '../context.ts';
import type { Context } from '../context.ts';
import { CANCELLED, exitStatus, FAILED } from '../exit-status.ts';
import { runDocument } from '../render/document.ts';
import { becauseText, outcomeText } from '../render/run.ts';
import { conflictText, syncText } from '../render/sync.ts';
import { visible } from '../render/text.ts';
import { iso } from '../render/time.ts';
import type { Interrupts } from './interrupts.ts';
import { keptLease, sayKept } from './kept.ts';

export async function watchJob(context: Context, runtime: Runtime, job: Job, interrupts: Interrupts): Promise<number> {
  interrupts.listen((count) => {
    void interrupt(context, job, count);
  });
  const shown = show(context, job);
  const run = await closed(job);
  // The log is complete once the run is closed, so this ends.
  await shown;
  return report(context, runtime, run);
}

/** What a closed run means to the one who waited for it. */
export async function report(context: Context, runtime: Runtime, run: Run): Promise<number> {
  if (!run.outcome) throw new ErrandError('internal/bug', `run ${run.id} is closed without an outcome`);
  const status = exitStatus(run.outcome, run.problem);
  const kept = await keptLease(runtime, run);
  if (context.json) {
    const lease = kept && { id: kept.id, expiresAt: iso(kept.expiresAt) };
    await printJson(context, { run: runDocument(run), outcome: run.outcome, exitStatus: status, kept: lease });
  }
  if (run.outcome.kind === 'errored') {
    await context.warn(`could not run the command (${run.outcome.reason}): ${visible(run.outcome.message)}`);
    await context.warn(`  next: ${visible(run.outcome.next ?? `Look at errand show ${run.id} and errand logs ${run.id}.`)}`);
  } else if (run.outcome.kind === 'lost') {
    await context.warn(`the command is gone and nobody knows how it ended: ${becauseText(run.outcome)}`);
    await context.warn(`  next: Look at errand show ${run.id} and errand logs ${run.id}; run it again if that is safe.`);
  } else if (run.outcome.kind === 'cancelled') {
    await context.say('cancelled; nothing of the command is alive');
  } else if (run.outcome.kind !== 'exited') {
    await context.say(`the command ${run.outcome.kind === 'signalled' ? 'was ' : ''}${outcomeText(run.outcome)}`);
  }
  if (run.sync) {
    await context.say(`synced back: ${syncText(run.sync)}`);
    for (const conflict of run.sync.conflicts) await context.warn(conflictText(conflict));
  }
  if (run.problem !== undefined) {
    await context.warn(visible(run.problem));
    if (status === FAILED && run.outcome.kind === 'exited') await context.warn(`  next: See errand show ${run.id}.`);
  }
  if (kept) await sayKept(context, kept);
  return status;
}

/** Never rejects: output that cannot be shown does not end the run's own way. */
async function show(context: Context, job: Job): Promise<void> {
  if (context.json && context.quiet) return;
  try {
    for await (const entry of job.logs()) {
      const toOut = entry.stream === 'stdout' && !context.json;
      const sink = toOut ? context.out : context.err;
      if (!(await sink.write(entry.bytes)) && toOut) return await abandon(context, job);
    }
  } catch (error) {
    const message = isErrandError(error) ? error.message : String(error);
    await context.warn(`could not show all output of run ${job.id}: ${visible(message)}`);
  }
}

/** A command at the other end of a broken pipe would be ended by SIGPIPE; ours is asked to end, and it is said. */
async function abandon(context: Context, job: Job): Promise<void> {
  const why =
    context.out.failure === 'EPIPE' ? 'the reader of the output went away' : `writing the output failed (${context.out.failure})`;
  await context.say(`${why}; cancelling run ${job.id}`);
  await job.cancel().catch(() => undefined);
}

async function closed(job: Job): Promise<Run> {
  try {
    return await job.closed;
  } catch (error) {
    if (!isErrandError(error)) throw error;
    throw new ErrandError(error.code, `stopped watching run ${job.id}: ${error.message}`, {
      next: `${error.next ?? 'The run itself goes on.'} Then errand wait ${job.id} goes on from here.`,
      cause: error,
      diagnostics: error.diagnostics,
    });
  }
}

/** First asks, second forces, third leaves. What cancelling runs into is told by the end of the run. */
async function interrupt(context: Context, job: Job, count: number): Promise<void> {
  if (count === 1) {
    await context.say(`asking the command to end; once more to force it`);
    await job.cancel().catch(() => undefined);
  } else if (count === 2) {
    await context.say(`forcing the command to end; once more to leave without proof`);
    await job.cancel({ force: true }).catch(() => undefined);
  } else {
    await context.warn(`left run ${job.id} before its end was confirmed`);
    await context.warn(`  next: errand wait ${job.id} tells when it is gone.`);
    await context.leave(CANCELLED);
  }
}
