// The SDK on top of an engine: names in, records out. No decisions are taken here.
import { ErrandError } from '@errand/contract';
import { parseDuration } from '../base/duration.ts';
import type { Config } from '../config/types.ts';
import type { Engine } from '../engine/types.ts';
import { followLog } from '../logs/follow.ts';
import { readNow } from '../logs/read-now.ts';
import { admit, refusals } from '../providers/admit.ts';
import { cancelRun } from '../run/cancel.ts';
import { openRun } from '../run/open.ts';
import { recoverAll } from '../run/recover.ts';
import { acquireLease } from '../run/standing.ts';
import { sweep } from '../run/sweep.ts';
import { leaseKeys } from '../lease/keys.ts';
import { whyOutdated } from '../lease/outdated.ts';
import type { StackWiring } from './infra.ts';
import { createJob } from './job.ts';
import { createLeaseHandle } from './lease-handle.ts';
import { logViewOf } from './log-view.ts';
import { lookUpLease, lookUpRun } from './look-up.ts';
import { createRefills, giveUpUnwanted, poolSpec, presentOf, warm } from './pools.ts';
import { environmentOf, environmentOfLease, setupOf, toSpec } from './request.ts';
import type { Job, LeaseHandle, LogOptions, RunRequest, Runtime } from './sdk.ts';

export interface RuntimeParts {
  readonly engine: Engine;
  readonly config: Config;
  readonly home: string;
  readonly cwd: string;
  readonly recover: boolean;
  /** See `RuntimeOptions`; in the background of this process when absent. */
  readonly refill?: ((environment: string) => void) | undefined;
  /** Where state and keys of infrastructure lie; without it there is none. */
  readonly infra?: Pick<StackWiring, 'url' | 'secretDirectory'>;
}

export function runtimeOn(parts: RuntimeParts): Runtime {
  const { config, home } = parts;
  const { store } = parts.engine;
  const closing = new AbortController();
  const leave = closing.signal;
  const watched = new Set<Promise<unknown>>();
  const remember = (work: Promise<unknown>) => {
    const settled = work.then(
      () => {},
      () => {},
    );
    watched.add(settled);
    void settled.then(() => watched.delete(settled));
  };
  const track = (job: Job): Job => {
    remember(job.closed);
    return job;
  };
  const refills = createRefills((name) => warm(engine, config, name, false, leave));
  const engine: Engine = { ...parts.engine, refill: parts.refill ?? ((name) => refills.refill(name)) };
  if (parts.recover) remember(recoverAll(engine, leave));

  async function specOf(request: RunRequest) {
    if (request.lease === undefined) {
      return toSpec(request, environmentOf(config, request.environment ?? 'local'), parts.cwd, { source: config.file });
    }
    const lease = await lookUpLease(store, request.lease);
    return toSpec(request, environmentOfLease(config, lease), parts.cwd, { lease });
  }

  async function open(request: RunRequest, claim: boolean) {
    const key = request.idempotencyKey;
    return openRun(engine, await specOf(request), { claim, ...(key !== undefined && { key }) });
  }

  async function run(request: RunRequest): Promise<Job> {
    const opened = await open(request, true);
    const { id } = opened.run;
    return track(createJob(engine, { id, created: opened.created, leave, ...(opened.created && { claimed: opened.run }) }));
  }

  async function* logs(id: string, options: LogOptions = {}) {
    const found = await (id.startsWith('lease-') ? lookUpLease(store, id) : lookUpRun(store, id));
    const source = logViewOf(engine, found.id);
    yield* (options.follow ? followLog : readNow)(source, found.id, { ...options, signal: leave });
  }

  async function acquire(name: string, options: Parameters<Runtime['acquire']>[1] = {}): Promise<LeaseHandle> {
    const environment = environmentOf(config, name);
    const image = options.image ?? environment.image;
    const spec = poolSpec({ ...environment, ...(image !== undefined && { image }) }, config.file);
    const ttl = options.ttl === undefined ? spec.ttl : parseDuration(options.ttl, 'ttl');
    const opened = await engine.providers.open(spec.provider, spec.options);
    const standing = spec.setup.provision.length > 0;
    await admit(opened, { ...spec, workspaceIn: false, workspaceOut: false, standing }, leave);
    // Only to tell later whether the environment was edited; one with an image of its own differs from the start, and a
    // secret that nothing needs yet may be missing.
    const keys = options.image === undefined ? await leaseKeys(engine, spec).catch(() => undefined) : undefined;
    const fingerprint = keys && { fingerprint: keys.fingerprint };
    const labels = { ...spec.labels, ...options.labels };
    const granted = await acquireLease(engine, { ...spec, ...fingerprint, ttl, labels, standing: true }, leave);
    return createLeaseHandle(engine, run, granted);
  }

  return {
    home,
    config,
    run,
    logs,
    acquire,
    submit: (request) => open(request, false),
    async attach(id) {
      const found = await lookUpRun(store, id);
      return track(createJob(engine, { id: found.id, created: false, leave }));
    },
    async show(id) {
      const found = await lookUpRun(store, id);
      const lease = found.lease === undefined ? undefined : await store.lease(found.lease);
      return { run: found, lease, events: await store.events({ id: found.id }) };
    },
    runs: (filter) => store.runs(filter ?? {}),
    async cancel(id, options) {
      const found = await lookUpRun(store, id);
      return cancelRun(engine, found.id, options?.force ? 'force' : 'ask', leave);
    },
    lease: async (id) => createLeaseHandle(engine, run, await lookUpLease(store, id)),
    leases: (options) => store.leases(options?.all ? {} : { open: true }),
    async sweep(options) {
      const dryRun = options?.dryRun ?? false;
      const { lines } = await sweep(engine, dryRun, leave);
      return { lines: [...lines, ...(await giveUpUnwanted(engine, config, dryRun))] };
    },
    warm: (name, options) => warm(engine, config, name, options?.dryRun ?? false, leave),
    async outdated(leases) {
      const present = await presentOf(engine, config, leases);
      return new Map(
        leases.flatMap((lease) => {
          const because = lease.status === 'released' ? undefined : whyOutdated(present, lease);
          return because === undefined ? [] : [[lease.id, because] as const];
        }),
      );
    },
    environments: () =>
      Promise.all(
        [...config.environments.values()].map(async ({ name, provider, options, lease, warm: ready = 0 }) => {
          const summary = engine.providers.definitions.get(provider)?.summary ?? '';
          const known = { name, provider, summary, policy: lease.policy, warm: ready };
          try {
            return { ...known, capabilities: (await engine.providers.open(provider, options)).capabilities };
          } catch (error) {
            return { ...known, problem: engine.redact(error instanceof Error ? error.message : String(error)) };
          }
        }),
      ),
    async check(name) {
      const environment = environmentOf(config, name);
      const spec = poolSpec(environment, config.file);
      const opened = await engine.providers.open(spec.provider, spec.options);
      const standing = setupOf(environment).setup !== undefined;
      return refusals(opened, { ...spec, workspaceIn: false, workspaceOut: false, standing }, leave);
    },
    async infra(options) {
      if (!parts.infra) throw new ErrandError('environment/unsupported', 'this runtime was made without infrastructure');
      // Loaded when it is asked for: most commands have no use for it.
      const { openStack } = await import('./infra.ts');
      return openStack({ engine, config, home, ...parts.infra }, options);
    },
    async checkInfra(options) {
      const { checkStacks } = await import('./infra.ts');
      return checkStacks({ engine, config }, options);
    },
    async [Symbol.asyncDispose]() {
      // A place that is nearly ready is worth a moment; one that is not is given up, and the next use makes another.
      await Promise.race([refills.settled(), engine.ports.clock.sleep(engine.settings.sweepPatience, leave)]);
      closing.abort(new Error('the runtime was closed; the run is left to the next watcher'));
      await Promise.all(watched);
      await engine.providers[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
