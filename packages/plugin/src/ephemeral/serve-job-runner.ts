// A provider of ours as the public Runner and JobCanceler, for hosts that speak only the public contract.
import type { Server } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrandError } from '@errand/contract';
import type { Ask, JobExit, Json, Provider, Runner } from '@errand/contract';
import { IaCProviderJobCanceler, IaCProviderRunner } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import type { JobSpec } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { answer, answerStream } from '../wire/answer.ts';
import type { AnswerOptions } from '../wire/answer.ts';
import { serviceDefinition } from '../wire/definition.ts';
import { batchBytes } from '../wire/limits.ts';
import { readLine } from './served-command.ts';
import { readServed, sendServed } from './served-handle.ts';
import type { ServedJob } from './served-handle.ts';
import { createJobPlaces } from './served-places.ts';
import { running, sendEnd } from './served-status.ts';

export interface ServeJobsOptions extends AnswerOptions {
  readonly name: string;
  /** An environment's options for every job, such as the machine to run on. */
  readonly options?: () => Json;
  /** The value behind a reference in `env_vars_secret`. */
  readonly secret?: (reference: string) => Promise<string>;
}

/** Full names of the services that `serveJobRunner` adds. */
export const jobServices: readonly string[] = [IaCProviderRunner.typeName, IaCProviderJobCanceler.typeName];

/** A question about a running job is held for so long: its end is told at once, and nobody asks in vain as often. */
const hold = 100;
const usualGrace = 10_000;

/**
 * Adds both services; gives their full names, for the registry. Disposing it ends what was begun here, never a job.
 */
export function serveJobRunner(
  server: Server,
  provider: Pick<Provider, 'host'> & { readonly runner: Runner },
  options: ServeJobsOptions,
): Disposable & { readonly services: readonly string[] } {
  const { runner, host } = provider;
  const { name: providerName, secret = noSecret, options: environment = () => ({}) } = options;
  const owner = `plugin-${providerName}`;
  const places = host && createJobPlaces(host, owner, environment);
  const closing = new AbortController();
  const own: Ask = { signal: closing.signal, log: () => undefined };
  const watching = new Map<string, Promise<JobExit>>();
  const asked = new Set<string>();

  async function run(spec: JobSpec, ask: Ask): Promise<ServedJob> {
    const key = nameOf(spec);
    const image = spec.image === '' ? undefined : spec.image;
    const timeout = spec.timeoutSeconds > 0 ? spec.timeoutSeconds * 1000 : undefined;
    const grace = (spec.termination?.gracePeriodSeconds ?? 0) * 1000 || usualGrace;
    const place = await places?.acquire(key, image, timeout, ask);
    const handle = await runner.start(
      {
        owner,
        command: readLine(spec.runCommand),
        env: spec.envVars,
        secretEnv: spec.envVarsSecret,
        resources: {},
        grace,
        labels: {},
        options: environment(),
        ...(place && { place }),
        ...(image !== undefined && { image }),
        ...(timeout !== undefined && { timeout }),
      },
      { ...ask, key, epoch: 1, secret },
    );
    return { ref: { key, handle }, grace, ...(place && { place }) };
  }

  /** One waiting for each job, however many ask; it goes on between the questions. */
  function ending({ ref }: ServedJob): Promise<JobExit> {
    const known = watching.get(ref.key);
    if (known) return known;
    const exit = runner.wait(ref, own).finally(() => watching.delete(ref.key));
    exit.catch(() => undefined);
    watching.set(ref.key, exit);
    return exit;
  }

  async function status(job: ServedJob, ask: Ask) {
    if (job.place) await places?.renew(job.ref.key, job.place, ask).catch(() => undefined);
    const late = new AbortController();
    const nothing = sleep(hold, undefined, { signal: late.signal }).catch(() => undefined);
    const exit = await Promise.race([ending(job), nothing]).finally(() => late.abort());
    if (!exit) return running;
    if (exit.kind === 'lost' && !job.ref.handle) throw unknown(job);
    return sendEnd(exit, asked.has(job.ref.key));
  }

  /** The first request asks; the grace after it, or the second request, forces. */
  async function cancel(job: ServedJob, ask: Ask): Promise<void> {
    const { key } = job.ref;
    const how = asked.has(key) ? 'force' : 'ask';
    asked.add(key);
    await runner.stop(job.ref, how, { ...ask, key: `${key}-${how}`, epoch: 1 });
    if (how === 'ask') void forceLater(job).catch(() => undefined);
  }

  async function forceLater(job: ServedJob): Promise<void> {
    const isOver = ending(job).then(() => true);
    if (await Promise.race([isOver, sleep(job.grace, false, { signal: closing.signal, ref: false })])) return;
    await runner.stop(job.ref, 'force', { ...own, key: `${job.ref.key}-force`, epoch: 1 });
  }

  const { runJob, jobStatus, jobLogs } = IaCProviderRunner.method;
  server.addService(serviceDefinition(IaCProviderRunner), {
    runJob: answer(options, runJob, async (spec, ask) => sendServed(providerName, await run(spec, ask))),
    jobStatus: answer(options, jobStatus, async (handle, ask) => ({ ...(await status(readServed(handle), ask)), handle })),
    jobLogs: answerStream(options, jobLogs, async (handle, ask, send) => {
      for await (const { stream, bytes } of runner.logs(readServed(handle).ref, undefined, ask)) {
        for (let at = 0; at < bytes.length; at += batchBytes)
          await send({ data: bytes.subarray(at, at + batchBytes), source: stream });
      }
      await send({ eof: true });
    }),
  });
  server.addService(serviceDefinition(IaCProviderJobCanceler), {
    cancelJob: answer(options, IaCProviderJobCanceler.method.cancelJob, async (handle, ask) => {
      await cancel(readServed(handle), ask);
      return {};
    }),
  });
  return {
    services: jobServices,
    [Symbol.dispose]: () => closing.abort(new ErrandError('provider/unreachable', 'the plugin ends')),
  };
}

function nameOf({ name, cron, runCommand }: JobSpec): string {
  const refuse = (what: string, next: string) => new ErrandError('usage/invalid', `was asked to run a job: ${what}`, { next });
  if (name === '') throw refuse('it has no name', 'Give it one: the same name twice is one job.');
  if (cron !== '') throw refuse('it is to run on a schedule', 'Schedule it at the host; this provider runs jobs at once.');
  if (runCommand === '') throw refuse('it has no command', 'Set run_command.');
  return name;
}

function unknown({ ref }: ServedJob): ErrandError {
  return new ErrandError('provider/not-found', `was asked about the job ${ref.key}: nobody knows it`);
}

async function noSecret(reference: string): Promise<never> {
  throw new ErrandError('secret/missing', `tried to get the secret ${reference}: this plugin has no place to look it up`, {
    next: 'Put the value into the environment of the job’s image, or use a provider that resolves such references.',
  });
}
