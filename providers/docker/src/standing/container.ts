// A standing place's container: the same image, profile, limits and mounts as a job's own would have, with the shim as
// process 1. Bringing it up is safe at any time and by any number of processes: its name follows from the workspace, and
// process 1 starts no job by itself.
import { ErrandError } from '@errand/contract';
import type { Ask } from '@errand/contract';
import { EngineFailure } from '../client.ts';
import type { Container, Engine } from '../client.ts';
import type { Engines } from '../engines.ts';
import { trying } from '../errors.ts';
import { ensureImage } from '../image.ts';
import { look } from '../job.ts';
import { label } from '../layout.ts';
import { readOptions } from '../options.ts';
import { pause } from '../pause.ts';
import { labelsIn } from '../place.ts';
import type { Place } from '../place.ts';
import { settingsRequest } from '../request.ts';
import { writeTar } from '@errand/contract/tar';
import type { TarEntry } from '@errand/contract/tar';
import { ownerOf, root } from '../user.ts';
import { shimPath } from './lines.ts';
import { machineOf } from './settings.ts';
import type { Wanted } from './settings.ts';

const shimDirectory = '/.errand';

/** A workspace that was filled anew is another volume, and so another container. */
export const standingName = (place: Place) => `${place.work}.standing`;
export const shimVolume = (place: Pick<Place, 'name'>) => `${place.name}.shim`;

/** Gives its id when it runs. */
export async function bringUp(engines: Engines, engine: Engine, place: Place, wanted: Wanted, ask: Ask): Promise<string> {
  const name = standingName(place);
  if (place.expiresAt <= Date.now()) {
    throw new ErrandError('provider/not-found', `tried to use the place ${place.key}: its time was up`, {
      next: 'Acquire a new place.',
    });
  }
  return trying(engine, `tried to bring up the standing container of the place ${place.key}`, async () => {
    let refused = 0;
    for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
      const there = await look(engine, name, ask.signal);
      if (there?.status === 'running') return there.id;
      try {
        if (there?.status === 'paused') await engine.unpauseContainer(there.id, ask.signal);
        else if (there && isBusy(there)) await pause(wait, ask.signal);
        else if (there) await begin(engines, engine, place, there.id, ask);
        else await create(engine, place, wanted, ask);
      } catch (error) {
        // Another process may be at it too, and Podman refuses the second of two who put in the same file.
        refused += 1;
        if (!(error instanceof EngineFailure) || error.status === undefined || refused >= 5) throw error;
        await pause(wait, ask.signal);
      }
    }
  });
}

const isBusy = ({ status }: Container) => status === 'removing' || status === 'restarting';

async function create(engine: Engine, place: Place, wanted: Wanted, ask: Ask): Promise<void> {
  const { signal } = ask;
  const options = readOptions(wanted.options);
  await engine.createVolume(shimVolume(place), labelsIn(place, 'shim'), signal);
  const shim = {
    kind: 'volume' as const,
    source: shimVolume(place),
    target: shimDirectory,
    readOnly: false,
    labels: labelsIn(place, 'accident'),
  };
  const own = settingsRequest({ place, options, resources: wanted.resources });
  const made = await engine.createContainer(
    standingName(place),
    {
      ...own,
      image: wanted.image ?? place.image,
      argv: [shimPath, 'keep'],
      env: [],
      labels: labelsIn(place, 'standing', { [label.work]: place.work }),
      mounts: [...own.mounts, shim],
      init: false,
      listens: true,
      // Its output is no job's, and kept by nobody.
      logging: { driver: 'none', options: {} },
    },
    signal,
  );
  if (made === 'no-image') await ensureImage(engine, wanted.image ?? place.image, ask);
  if (typeof made !== 'string') await removeFormer(engine, place, made.id, ask);
}

/** Those of earlier workspaces. What still ran in them was given up with the workspace. */
async function removeFormer(engine: Engine, place: Place, id: string, ask: Ask): Promise<void> {
  const all = await engine.containers({ [label.place]: place.name, [label.role]: 'standing' }, ask.signal);
  await Promise.all(all.filter((one) => one.id !== id).map((one) => engine.removeContainer(one.id, true, ask.signal)));
}

/** Starting one that runs changes nothing; one that ended goes on with the records that are there. */
async function begin(engines: Engines, engine: Engine, place: Place, id: string, { signal }: Ask): Promise<void> {
  const machine = machineOf(await engines.info(engine, signal)) ?? 'amd64';
  // Read only by those who bring a container up.
  const program = (await import('./shim.ts')).shimFor(machine);
  const owner = await ownerOf(engine, id, place.user, signal);
  const put = (entries: readonly TarEntry[], who: typeof owner) =>
    engine.putArchive(id, shimDirectory, writeTar(inOrder(entries), who), signal);
  // The program is root's: a job of another user cannot put something else in its place.
  await put([{ kind: 'file', path: 'shim', mode: 0o755, size: program.length, content: () => [program] }], root);
  const expires = Buffer.from(String(Math.ceil(place.expiresAt)));
  await put(
    [
      { kind: 'directory', path: 'jobs', mode: 0o700 },
      { kind: 'directory', path: 'state', mode: 0o700 },
      { kind: 'file', path: 'state/expires', mode: 0o600, size: expires.length, content: () => [expires] },
    ],
    owner,
  );
  await engine.startContainer(id, signal);
}

async function* inOrder(entries: readonly TarEntry[]): AsyncGenerator<TarEntry> {
  yield* entries;
}
