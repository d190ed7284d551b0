import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Handle, JobSpec, SecretCall } from '@errand/contract';
import { createBell } from './bell.ts';
import { baseEnvironment, jobEnvironment } from './environment.ts';
import { fileError, isAbsent } from './files.ts';
import { located, observe } from './job.ts';
import type { LocatedJob } from './job.ts';
import { cancelledFile, jobHandle, nameOf, placeState } from './layout.ts';
import { passFence, readPlace } from './place.ts';
import type { StartRequest } from './protocol.ts';
import { ask, recordFile } from './record.ts';
import type { Asked } from './record.ts';
import { sandboxOf } from './sandbox.ts';
import type { Supervisor } from './supervise.ts';

/** A supervisor that dies before it takes a job on is replaced; more deaths than this are no accident. */
const attempts = 3;

export interface Site {
  readonly home: string;
  readonly supervisor: Supervisor;
  /** What a sandboxed job may not see. */
  readonly hide: string;
}

/** Safe to repeat with the same key at any time, from any process: the claim file lets one supervisor start it once. */
export async function start({ home, supervisor, hide }: Site, spec: JobSpec, call: SecretCall): Promise<Handle<'job'>> {
  const job = locateNew(home, spec, call.key);
  const place = readPlace(job.placeDir);
  if (!place || place.releasing) {
    throw new ErrandError('provider/not-found', `tried to start the job ${call.key}: its place is gone`, {
      next: 'Acquire a new place.',
    });
  }
  passFence(job.placeDir, place, call.epoch);
  refuseNulBytes(spec);
  if (existsSync(recordFile(job)) && (await adopted(job, call.signal))) return jobHandle(job.place, job.job);

  const secrets: Record<string, string> = {};
  for (const [name, reference] of Object.entries(spec.secretEnv)) secrets[name] = await call.secret(reference);
  call.signal.throwIfAborted();

  const { mark } = job;
  const sandbox = sandboxOf(spec.options);
  const env = jobEnvironment(baseEnvironment(process.env), spec.env, secrets, { key: call.key, mark });
  if (sandbox === 'strict') env['TMPDIR'] = '/tmp';
  const request: Omit<StartRequest, 'id'> = {
    base: job.base,
    placeDir: job.placeDir,
    cancelled: cancelledFile(home, job.job),
    epoch: call.epoch,
    mark,
    command: spec.command,
    cwd: join(job.placeDir, 'work'),
    env,
    secrets: Object.values(secrets),
    grace: spec.grace,
    ...(spec.timeout === undefined ? {} : { timeout: spec.timeout }),
    ...(spec.resources.memory === undefined ? {} : { memory: spec.resources.memory }),
    ...(sandbox === 'strict' ? { sandbox: { program: 'bwrap', hide } } : {}),
  };

  for (let attempt = 0; attempt < attempts; attempt++) {
    writeDown(job, { key: call.key, owner: spec.owner, mark, sandboxed: sandbox === 'strict', supervisor: supervisor.warm() });
    const reply = await orAbort(supervisor.start(request), call.signal);
    if (reply?.kind === 'refused') {
      throw new ErrandError(reply.code, `tried to start the job ${call.key}: ${reply.message}`);
    }
    if (reply?.kind === 'started' || (await adopted(job, call.signal))) return jobHandle(job.place, job.job);
  }
  throw new ErrandError('provider/failed', `tried to start the job ${call.key}: the supervisor died ${attempts} times`, {
    next: `Run \`${process.execPath} --version\` to see whether Node works on this machine.`,
    retry: 'later',
  });
}

function locateNew(home: string, spec: JobSpec, key: string): LocatedJob {
  const state = spec.place && placeState(spec.place);
  if (state) return located(home, state.place, nameOf(key));
  throw new ErrandError('provider/failed', `tried to start the job ${key}: local jobs run inside a place, and none was given`, {
    next: 'Acquire a place first.',
  });
}

/** True when the job runs or has ended; false when nobody took it on and it may be asked for again. */
async function adopted(job: LocatedJob, signal: AbortSignal): Promise<boolean> {
  using bell = createBell([recordFile(job)]);
  for (;;) {
    signal.throwIfAborted();
    const seen = observe(job, { settleUnclaimed: false });
    if (seen.kind === 'ended' || seen.phase === 'running' || seen.phase === 'orphaned') return true;
    if (seen.phase === 'asked' || seen.phase === 'unclaimed') return false;
    await bell.wait(100, signal);
  }
}

function writeDown(job: LocatedJob, asked: Asked): void {
  try {
    ask(job, asked);
  } catch (error) {
    if (!isAbsent(error)) throw fileError(`tried to write the job ${asked.key} down`, error);
    throw new ErrandError('provider/not-found', `tried to start the job ${asked.key}: its place is gone`, { cause: error });
  }
}

/** The kernel ends every argument and variable at its first NUL; running something else than was asked for is worse than refusing. */
function refuseNulBytes(spec: JobSpec): void {
  const parts = 'script' in spec.command ? [spec.command.script] : spec.command.argv;
  const named = Object.entries(spec.env).flat();
  if (![...parts, ...named].some((text) => text.includes('\0'))) return;
  throw new ErrandError(
    'usage/invalid',
    'refused the command: an argument or variable holds a NUL byte, which no program can receive',
    {
      next: 'Pass such bytes in a file of the workspace.',
    },
  );
}

async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
