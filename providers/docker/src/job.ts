// A job as the engine tells it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JobExit, Ref } from '@errand/contract';
import type { Container, Engine } from './client.ts';
import { onEach } from './engines.ts';
import type { Engines } from './engines.ts';
import { trying } from './errors.ts';
import { jobState, label, nameOf } from './layout.ts';
import { readPlace } from './place.ts';

/** A job by name. The place is known from its handle, or from its container. */
export interface LocatedJob {
  readonly engine: Engine;
  readonly name: string;
  readonly place: string | undefined;
  /** It has no container of its own but runs in its place's. */
  readonly inside: boolean;
}

/**
 * Undefined when no engine has it. Without a handle it is looked for on every engine that was ever used: the answer to
 * its start was never heard. One that cannot be asked may have it, so then nobody can say.
 */
export async function locate(engines: Engines, ref: Ref<'job'>, signal: AbortSignal): Promise<LocatedJob | undefined> {
  const state = jobState(ref.handle);
  if (state) return { engine: engines.at(state.engine), name: state.job, place: state.place, inside: state.inside === true };
  const name = nameOf(ref.key);
  for await (const found of onEach(engines, (engine) => lookFor(engine, name, signal))) return found;
  return undefined;
}

async function* lookFor(engine: Engine, name: string, signal: AbortSignal): AsyncGenerator<LocatedJob> {
  const container = await look(engine, name, signal);
  if (container) return void (yield { engine, name, place: container.labels[label.place], inside: false });
  for (const { id, labels } of await engine.containers({ [label.role]: 'standing' }, signal)) {
    if (!(await engine.hasPath(id, `/.errand/jobs/${name}`, signal))) continue;
    return void (yield { engine, name, place: labels[label.place], inside: true });
  }
}

export function look(engine: Engine, name: string, signal: AbortSignal): Promise<Container | undefined> {
  return trying(engine, `tried to look at the container ${name}`, () => engine.container(name, signal));
}

/** A mark on this machine for a stop that came before anything of the job was on an engine. */
export const cancelledFile = (home: string, name: string) => join(home, 'cancelled', name);

/** What was said to the job by `stop`: nothing, `ask`, `force`. */
export async function stopsOf(engines: Engines, job: LocatedJob, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const said = new Set<string>();
  if (existsSync(cancelledFile(engines.home, job.name))) said.add('ask');
  const place = job.place === undefined ? undefined : await readPlace(job.engine, job.place, signal);
  for (const how of place?.stops.get(job.name) ?? []) said.add(how);
  return said;
}

/** It was created and the engine has never run it, nor failed to. */
export function isUnstarted(container: Container): boolean {
  return container.status === 'created' && container.startedAt === undefined && !couldNotRun(container);
}

/** The engine has run it, or tried to. One that is just being removed may have neither. */
export function hasBegun(container: Container): boolean {
  return container.startedAt !== undefined || couldNotRun(container);
}

export function isEnded(container: Container): boolean {
  return couldNotRun(container) || container.status === 'exited' || container.status === 'dead';
}

/** The engine looked for the program and found none, or none that it may execute; its words are the job's only output. */
export function couldNotRun(container: Container): boolean {
  return (
    container.startedAt === undefined && container.error !== '' && (container.exitCode === 126 || container.exitCode === 127)
  );
}

/** When the profile's time limit ends the job; undefined when it has none or has not begun. */
export function deadlineOf(container: Container): number | undefined {
  const timeout = Number(container.labels[label.timeout]) || 0;
  return timeout > 0 && container.startedAt !== undefined ? container.startedAt + timeout : undefined;
}

/** How it ended, from what the engine kept; so every observer gives the same answer. */
export function exitOf(container: Container, stops: ReadonlySet<string>): JobExit {
  const { startedAt, finishedAt, exitCode: code, oomKilled } = container;
  const times = {
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { endedAt: finishedAt }),
  };
  if (couldNotRun(container)) return { kind: 'exited', code };
  if (oomKilled && code !== 0) {
    return { kind: 'errored', reason: 'oom', message: 'it used more memory than it may, and was ended by the kernel', ...times };
  }
  const deadline = deadlineOf(container);
  if (deadline !== undefined && finishedAt !== undefined && finishedAt >= deadline) return { kind: 'timed-out', ...times };
  // The engine says 128+n for an end by signal n. Only where we know that we sent it is it told as one.
  if (code === 137 && stops.has('force')) return { kind: 'signalled', signal: 'SIGKILL', ...times };
  if (code === 143 && stops.size > 0) return { kind: 'signalled', signal: 'SIGTERM', ...times };
  return { kind: 'exited', code, ...times };
}

/** The exit code needs no second question, for nobody who ended it by a signal could have caused it. */
export const mayBeSignal = (container: Container) => container.exitCode === 137 || container.exitCode === 143;
