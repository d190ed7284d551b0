import type { Job, RunRequest, Runtime } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import type { Arguments } from '../parse.ts';
import { runDocument } from '../render/document.ts';
import { catchInterrupts } from './interrupts.ts';
import { jobRequest, optional } from './request.ts';
import { watchJob } from './watch.ts';

export const runCommand: Action = async (context, args) => {
  const request = {
    ...jobRequest(args, context.cwd),
    ...optional('environment', args.text('on')),
    ...optional('image', args.text('image')),
    ...optional('reuseLabel', args.text('reuse-label')),
  };
  return perform(context, args, {
    request: () => Promise.resolve(request),
    start: (runtime) => runtime.run(request),
    soon: { environment: request.environment ?? 'local', ...optional('image', request.image) },
  });
};

/** The lease is looked up first, so that the beginning of its id is enough. */
export const execCommand: Action = async (context, args) => {
  const request = jobRequest(args, context.cwd);
  const standing = async (runtime: Runtime) => {
    const lease = await runtime.lease(args.positional(0) ?? '');
    lease.keep();
    return lease;
  };
  return perform(context, args, {
    request: async (runtime) => ({ ...request, lease: (await standing(runtime)).id }),
    start: async (runtime) => (await standing(runtime)).run(request),
  });
};

interface Work {
  request(runtime: Runtime): Promise<RunRequest>;
  start(runtime: Runtime): Promise<Job>;
  /** When it is known before anything is opened. */
  readonly soon?: { readonly environment: string; readonly image?: string };
}

async function perform(context: Context, args: Arguments, work: Work): Promise<number> {
  if (args.flag('detach')) {
    await using runtime = await context.open({ recover: false });
    return await detach(context, runtime, await work.request(runtime));
  }
  // From here on, Ctrl-C means "end the run", also while the run is not recorded yet.
  using interrupts = catchInterrupts(context);
  await using runtime = await context.open(work.soon === undefined ? {} : { soon: work.soon });
  const job = await work.start(runtime);
  if (context.err.isTTY && !context.json) await context.say(`run ${job.id}`);
  return await watchJob(context, runtime, job, interrupts);
}

/**
 * The run is recorded before its watcher is started. Should we die in between, the same key again, or any process
 * that recovers, goes on with it; a second watcher does no harm, it only follows.
 */
async function detach(context: Context, runtime: Runtime, request: RunRequest): Promise<number> {
  const { run, created } = await runtime.submit(request);
  if (created || (run.status !== 'closed' && run.holder === undefined)) {
    const config = context.config ?? runtime.config.file;
    await context.startDetached([
      'attend',
      run.id,
      '--home',
      runtime.home,
      ...(config === undefined ? [] : ['--config', config]),
    ]);
  }
  await (context.json ? printJson(context, { run: runDocument(run), created }) : printLine(context, run.id));
  return 0;
}
