// `provision:` once per lease, before its first job. Each command is a job with a key that follows from the lease, so a
// watcher that takes over adopts what runs; how far it came stands in the lease's row. Its output is the lease's log.
import { ErrandError } from '@errand/contract';
import type { Command, Handle, JobEnd, JobSpec, Runner } from '@errand/contract';
import { quietly } from '../base/quietly.ts';
import type { Engine } from '../engine/types.ts';
import { isProvisioned } from '../lease/policy.ts';
import type { Lease, Provisioning } from '../model/lease.ts';
import { capture } from './capture.ts';
import { waitForEnd } from './follow-job.ts';
import { firstLine } from './provision-log.ts';
import type { Watch } from './watch.ts';

/** Enough for a package manager to put things in order; the place is released after a command that was cut short. */
const grace = 10_000;

/** As a step of a run. */
export async function provisionPlace(engine: Engine, watch: Watch, lease: Lease): Promise<Lease> {
  if (watch.run.status === 'running' || isProvisioned(lease)) return lease;
  return provision(engine, lease, lease.place, AbortSignal.any([watch.signal, watch.ending]));
}

/**
 * Goes on where the lease's row says. The signal ends the waiting, not the command: whoever gives up releases the
 * place, and nothing of the command outlives that. Rejects with `provision/failed` when a command did not exit with 0.
 */
export async function provision(
  engine: Engine,
  first: Lease,
  place: Handle<'place'> | undefined,
  signal: AbortSignal,
): Promise<Lease> {
  let lease = first;
  const commands = lease.spec.setup?.provision ?? [];
  for (const [index, command] of commands.entries()) {
    const before = lease.provisioning ?? { done: 0, seals: [] };
    if (index < before.done) continue;
    engine.log(`provisioning ${lease.id} (${index + 1} of ${commands.length}): ${brief(command)}`);
    const end = await runStep(engine, lease, place, command, index + 1, signal);
    const done = end.kind === 'exited' && end.code === 0 ? index + 1 : index;
    const provisioning: Provisioning = { done, seals: await sealed(engine, lease, before) };
    lease = await engine.store.advanceLease(lease.id, lease.epoch, 'provisioned', { provisioning }, engine.ports.clock.now());
    if (done === index) throw await failure(engine, lease, before, command, end);
  }
  return lease;
}

async function runStep(
  engine: Engine,
  lease: Lease,
  place: Handle<'place'> | undefined,
  command: Command,
  number: number,
  signal: AbortSignal,
): Promise<JobEnd> {
  const provider = await engine.providers.open(lease.spec.provider, lease.spec.options);
  const runner = need(provider.runner, lease);
  const key = `${lease.id}-p${number}`;
  const handle = await runner.start(jobSpec(engine, lease, place, command), {
    key,
    epoch: lease.epoch,
    signal,
    log: engine.log,
    secret: (reference) => engine.secrets.resolve(reference),
  });
  const job = { ref: { key, handle }, runner, redactsLogs: provider.capabilities.redactsLogs };
  const gone = new AbortController();
  // Each epoch captures from the beginning of the command it found going on; only what the row seals counts.
  const log = { id: lease.id, epoch: lease.epoch, signal, seals: [], secretEnv: lease.spec.setup?.secretEnv ?? {} };
  const waiting = waitForEnd(engine, job, signal).finally(() => gone.abort(quietly));
  const [end] = await Promise.all([waiting, capture(engine, log, job, gone.signal)]);
  return end;
}

function jobSpec(engine: Engine, { spec }: Lease, place: Handle<'place'> | undefined, command: Command): JobSpec {
  return {
    owner: engine.store.owner,
    command,
    env: spec.setup?.env ?? {},
    secretEnv: spec.setup?.secretEnv ?? {},
    resources: spec.resources,
    grace,
    labels: spec.labels,
    options: spec.options,
    ...(place && { place }),
    ...(spec.image !== undefined && { image: spec.image }),
  };
}

/** What this epoch has written by now counts; what earlier ones wrote counts as far as they had sealed it themselves. */
async function sealed(engine: Engine, lease: Lease, before: Provisioning): Promise<Provisioning['seals']> {
  const { epoch, bytes } = await engine.logs.tail(lease.id, lease.epoch);
  return [...before.seals.filter((seal) => seal.epoch !== epoch), { epoch, bytes }];
}

async function failure(engine: Engine, lease: Lease, before: Provisioning, command: Command, end: JobEnd): Promise<ErrandError> {
  const line = await firstLine(engine, lease, before);
  const said = line === undefined ? 'it printed nothing' : `its output begins: ${line}`;
  const message = engine.redact(`provisioning the place with ${brief(command)} failed: it ${howItEnded(end)}; ${said}`);
  const code = end.kind === 'exited' || end.kind === 'signalled' ? 'provision/failed' : 'provider/failed';
  return new ErrandError(code, message, { next: `Read all of it with: errand logs ${lease.id}` });
}

function howItEnded(end: JobEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exited with ${end.code}`;
    case 'signalled':
      return `was ended by ${end.signal}`;
    case 'timed-out':
      return 'ran into a deadline';
    case 'lost':
      return `was lost (${end.evidence})`;
    case 'errored':
      return `could not be run (${end.message})`;
  }
}

function brief(command: Command): string {
  const text = 'script' in command ? (command.script.trim().split('\n', 1)[0] ?? '') : command.argv.join(' ');
  return `'${text.length > 60 ? `${text.slice(0, 59)}…` : text}'`;
}

function need(runner: Runner | undefined, lease: Lease): Runner {
  if (runner) return runner;
  throw new ErrandError('environment/unsupported', `the provider ${lease.spec.provider} runs no commands to provision with`);
}
