// Reaching a standing place's container, and what is left of it when it is down.
import type { Ask } from '@errand/contract';
import { EngineFailure } from '../client.ts';
import type { Engine, ListedContainer } from '../client.ts';
import type { Engines } from '../engines.ts';
import { hasStatus } from '../errors.ts';
import { look } from '../job.ts';
import type { LocatedJob } from '../job.ts';
import { label } from '../layout.ts';
import { mountPoint, openMounted } from '../mounted.ts';
import { readPlace } from '../place.ts';
import { readTar } from '@errand/contract/tar';
import { shimVolume } from './container.ts';
import type { Line } from './line.ts';
import type { Target } from './lines.ts';

/** The newest first, though there is rarely more than one. */
export async function standingContainers(
  engine: Engine,
  place: string,
  signal: AbortSignal,
): Promise<readonly ListedContainer[]> {
  return engine.containers({ [label.place]: place, [label.role]: 'standing' }, signal);
}

/** Undefined when no container of the place runs. */
export async function reach(engines: Engines, engine: Engine, place: string, signal: AbortSignal): Promise<Line | undefined> {
  const target = engines.lines.known(engine, place) ?? (await runningOne(engine, place, signal));
  if (!target) return undefined;
  try {
    return await engines.lines.to(engine, target, 'any', signal);
  } catch (error) {
    // It ended between the look and the word.
    if (hasStatus(error, 404) || hasStatus(error, 409)) return undefined;
    throw error;
  }
}

async function runningOne(engine: Engine, place: string, signal: AbortSignal): Promise<Target | undefined> {
  const found = (await standingContainers(engine, place, signal)).find((one) => one.status === 'running');
  return found && { place, id: found.id, work: found.labels[label.work] ?? '' };
}

/** The line broke; whoever asks again takes another one. */
export function isBroken(error: unknown): boolean {
  return error instanceof EngineFailure && error.status === undefined;
}

/** Why nothing runs there, in the engine's words. */
export async function evidenceOf(engine: Engine, place: string, signal: AbortSignal): Promise<string> {
  const [last] = await standingContainers(engine, place, signal);
  const container = last ? await look(engine, last.id, signal) : undefined;
  if (!container) return `the engine at ${engine.address} has no standing container of the place ${place} any more`;
  const when = container.finishedAt === undefined ? '' : ` since ${new Date(container.finishedAt).toISOString()}`;
  const why = container.oomKilled ? ', ended for lack of memory' : '';
  return `the standing container ${container.id.slice(0, 12)} is ${container.status}${when} with status ${container.exitCode}${why}`;
}

/** A file of a job whose container is down: from the container, or from its volume alone. Empty when there is none. */
export async function* recordOf(job: LocatedJob, part: 'exit' | 'out' | 'err', ask: Ask): AsyncGenerator<Uint8Array> {
  const { engine, place: placeName } = job;
  const place = placeName === undefined ? undefined : await readPlace(engine, placeName, ask.signal);
  if (!place || !place.volumes.some((volume) => volume.name === shimVolume(place))) return;
  const path = `jobs/${job.name}/${part}`;
  const [last] = await standingContainers(engine, place.name, ask.signal);
  if (last) return yield* contentOf(engine, last.id, `/.errand/${path}`, ask);
  const mounted = await openMounted(engine, place, shimVolume(place), ask);
  try {
    yield* contentOf(engine, mounted.container, `${mountPoint}/${path}`, ask);
  } finally {
    await mounted.close();
  }
}

async function* contentOf(engine: Engine, container: string, path: string, ask: Ask): AsyncGenerator<Uint8Array> {
  const archive = await engine.getArchive(container, path, ask.signal);
  if (!archive) return;
  for await (const record of readTar(archive)) if (record.kind === 'file') yield* record.content();
}
