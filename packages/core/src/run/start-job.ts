import type { Handle, JobSpec, Ref, Runner } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { Lease } from '../model/lease.ts';
import type { Run } from '../model/run.ts';
import type { Watch } from './watch.ts';

/** A job that was asked for; `refused` is there when the provider would not start it. */
export interface StartedJob {
  readonly ref: Ref<'job'>;
  readonly runner: Runner;
  readonly redactsLogs: boolean;
  readonly lease: Lease;
  readonly refused?: unknown;
  /** An earlier watcher may have asked for it too; nobody wrote down what came of that. */
  readonly isSecond?: boolean;
}

/** The status says `running` before the call: from then on a job may exist, and its key finds it. */
export async function startJob(engine: Engine, watch: Watch, lease: Lease): Promise<StartedJob> {
  const { store, ports } = engine;
  const provider = await engine.providers.open(lease.spec.provider, lease.spec.options);
  const runner = provider.runner;
  if (!runner) throw new TypeError(`the provider ${lease.spec.provider} has no runner`);
  const started = { runner, redactsLogs: provider.capabilities.redactsLogs, lease };
  if (watch.run.status === 'realizing') {
    watch.signal.throwIfAborted();
    watch.ending.throwIfAborted();
    watch.run = await store.advanceRun(watch.id, watch.epoch, 'start', {}, ports.clock.now());
  }
  if (watch.run.job) return { ...started, ref: { key: watch.id, handle: watch.run.job } };
  const ref = { key: watch.id };
  // Somebody wants it ended and nobody knows whether it began: ending by key is right in both cases.
  if (watch.ending.aborted) return { ...started, ref };
  let job: Handle<'job'>;
  try {
    job = await runner.start(jobSpec(engine, watch.run, lease), {
      key: watch.id,
      epoch: lease.epoch,
      signal: AbortSignal.any([watch.signal, watch.ending]),
      log: engine.log,
      secret: (reference) => engine.secrets.resolve(reference),
    });
  } catch (refused) {
    watch.signal.throwIfAborted();
    return { ...started, ref, ...(!watch.ending.aborted && { refused }) };
  }
  // Not being able to write it down is no refusal: the job goes on, and the next watcher finds it by its key.
  watch.run = await store.advanceRun(watch.id, watch.epoch, 'started', { job, startedAt: ports.clock.now() }, ports.clock.now());
  return { ...started, ref: { ...ref, handle: job }, isSecond: watch.epoch > 1 };
}

function jobSpec(engine: Engine, run: Run, lease: Lease): JobSpec {
  const { spec } = run;
  return {
    owner: engine.store.owner,
    command: spec.command,
    env: spec.env,
    secretEnv: spec.secretEnv,
    resources: spec.resources,
    grace: spec.grace,
    labels: spec.labels,
    options: spec.options,
    ...(lease.place && { place: lease.place }),
    ...(spec.image !== undefined && { image: spec.image }),
    ...(spec.timeout !== undefined && { timeout: spec.timeout }),
  };
}
