// Starting a job once. An engine starts a container as often as it is asked to, even after it has ended, so the right to
// start goes with having made it: a name can be taken once. Who finds a container that was made and not started waits
// for its maker. When that one is proven to have given up, or was watched for long enough, the container is removed,
// which takes its maker's right away too because that one goes by id, and a new one is made.
import { existsSync } from 'node:fs';
import { ErrandError } from '@errand/contract';
import type { Handle, JobSpec, SecretCall } from '@errand/contract';
import type { Container, Engine } from './client.ts';
import type { Engines } from './engines.ts';
import { engineError, hasStatus, trying } from './errors.ts';
import { ensureImage } from './image.ts';
import { cancelledFile, couldNotRun, hasBegun, isUnstarted, look } from './job.ts';
import { jobHandle, label, nameOf, placeState } from './layout.ts';
import { pause } from './pause.ts';
import { passFence, standingPlace } from './place.ts';
import type { Place } from './place.ts';
import { containerRequest, digestOf, refuseUnrunnable } from './request.ts';
import { fitsInside, startInside } from './standing/start.ts';
import type { Starter } from './starter.ts';

/** A maker that took longer than this from making to starting gives its right up by itself. */
const ownLimit = 30_000;
/** Longer than that, whatever the clocks say: after watching for so long nobody can still mean to start it. */
export const othersLimit = 60_000;
/** A start that was sent before its sender died is carried out by then. */
const settle = 1_000;

interface Attempt {
  readonly engines: Engines;
  readonly engine: Engine;
  readonly starter: Starter;
  readonly spec: JobSpec;
  readonly call: SecretCall;
  readonly placeName: string;
  readonly name: string;
}

/** Safe to repeat with the same key at any time, from any process. */
export async function start(engines: Engines, starter: Starter, spec: JobSpec, call: SecretCall): Promise<Handle<'job'>> {
  refuseUnrunnable(spec);
  const state = placeState(spec.place);
  if (!state) {
    throw new ErrandError(
      'provider/failed',
      `tried to start the job ${call.key}: its place’s handle is missing or cannot be read`,
      {
        next: 'Acquire a place first.',
      },
    );
  }
  const engine = engines.at(state.engine);
  const attempt = { engines, engine, starter, spec, call, placeName: state.place, name: nameOf(call.key) };
  const fresh = engines.fresh.take(state.place);
  const seen = fresh ? { place: fresh, there: undefined } : await lookAround(attempt);
  if (fitsInside(seen.place, spec)) {
    const { place } = seen;
    if (!isCancelled(attempt, place)) await startInside({ engines, engine, place, spec, name: attempt.name, call });
    return jobHandle({ ...state, job: attempt.name, inside: true });
  }
  await startAlone(attempt, seen);
  return jobHandle({ ...state, job: attempt.name });
}

/** In a container of its own. */
async function startAlone(attempt: Attempt, seen: Seen): Promise<void> {
  const { engine, starter, call } = attempt;
  let { place, there } = seen;
  let watched: { readonly id: string; readonly since: number } | undefined;
  for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
    if (there) refuseOther(attempt, there);
    if (isCancelled(attempt, place) || (there && hasBegun(there))) return;
    if (there) {
      const { id } = there;
      if (watched?.id !== id) watched = { id, since: Date.now() };
      const limit = starter.hasGivenUp(there.labels[label.starter], id) ? settle : othersLimit;
      if (isUnstarted(there) && Date.now() - watched.since >= limit) {
        await trying(engine, `tried to remove a container that was never started`, () =>
          engine.removeContainer(id, false, call.signal),
        );
      } else await pause(wait, call.signal);
    } else if (await makeAndStart(attempt, place)) return;
    ({ place, there } = await lookAround(attempt));
  }
}

interface Seen {
  readonly place: Place;
  readonly there: Container | undefined;
}

async function lookAround(attempt: Attempt): Promise<Seen> {
  const { engine, name, call } = attempt;
  const [place, there] = await Promise.all([standing(attempt), look(engine, name, call.signal)]);
  return { place, there };
}

async function standing({ engine, placeName, call }: Attempt): Promise<Place> {
  const place = await standingPlace(engine, placeName, call.signal);
  await passFence(engine, place, call.epoch, call.signal);
  return place;
}

function isCancelled({ engines, name }: Attempt, place: Place): boolean {
  return place.stops.has(name) || existsSync(cancelledFile(engines.home, name));
}

function refuseOther({ spec, placeName, call }: Attempt, there: Container): void {
  if (there.labels[label.spec] === digestOf(spec, placeName)) return;
  throw new ErrandError('provider/conflict', `tried to start the job ${call.key}: another job was started under that key`, {
    next: 'Use a new key for a new job.',
  });
}

/** False when somebody else has made it meanwhile, or our right to start it has lapsed. */
async function makeAndStart(attempt: Attempt, place: Place): Promise<boolean> {
  const { engine, starter, spec, call, name } = attempt;
  const secrets: Record<string, string> = {};
  for (const [variable, reference] of Object.entries(spec.secretEnv)) secrets[variable] = await call.secret(reference);
  const tried = `tried to start the job ${call.key}`;
  const info = await trying(engine, tried, () => attempt.engines.info(engine, call.signal));
  const request = containerRequest({ spec, key: call.key, place, secrets, starter: starter.mark, info });
  const began = Date.now();
  const made = await trying(engine, tried, () => engine.createContainer(name, request, call.signal));
  if (made === 'taken') return false;
  if (made === 'no-image') {
    await ensureImage(engine, request.image, call);
    return false;
  }
  starter.busy.add(made.id);
  try {
    await lookAgain(attempt, place, made.id);
    if (Date.now() - began > ownLimit) return false;
    await begin(attempt, made.id);
    return true;
  } finally {
    starter.busy.delete(made.id);
  }
}

/**
 * The engine makes a missing volume without a word, so only now it is certain that the place was still there; and the
 * container is seen by whoever releases the place from now on.
 */
async function lookAgain(attempt: Attempt, before: Place, id: string): Promise<void> {
  const { engine, call } = attempt;
  try {
    const place = await standing(attempt);
    if (place.made === before.made && place.work === before.work && !isCancelled(attempt, place)) return;
    if (isCancelled(attempt, place)) return void (await engine.removeContainer(id, false, call.signal));
    throw new ErrandError(
      'provider/not-found',
      `tried to start the job ${call.key}: its place was given to somebody else meanwhile`,
    );
  } catch (error) {
    if (call.signal.aborted) throw error;
    await engine.removeContainer(id, true, call.signal).catch(() => undefined);
    const found = await engine.volumes({ [label.place]: attempt.placeName }, call.signal).catch(() => []);
    for (const volume of found) {
      if (volume.labels[label.role] === 'accident') await engine.removeVolume(volume.name, call.signal).catch(() => undefined);
    }
    throw error;
  }
}

async function begin(attempt: Attempt, id: string): Promise<void> {
  const { engine, call, name } = attempt;
  const tried = `tried to start the job ${call.key}`;
  try {
    await engine.startContainer(id, call.signal);
  } catch (error) {
    call.signal.throwIfAborted();
    // Removed by a stop or a release that came first; whoever waits learns which.
    if (hasStatus(error, 404)) {
      const place = await standing(attempt);
      if (isCancelled(attempt, place)) return;
    }
    const container = await look(engine, name, call.signal).catch(() => undefined);
    if (container && (couldNotRun(container) || container.startedAt !== undefined)) return;
    // The engine looked at the container and could not run it: it never will.
    if (container && container.error !== '')
      throw new ErrandError('provider/failed', `${tried}: ${container.error}`, { cause: error });
    throw engineError(engine.address, tried, error);
  }
}
