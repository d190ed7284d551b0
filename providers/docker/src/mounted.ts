import { ErrandError } from '@errand/contract';
import type { Ask } from '@errand/contract';
import type { Engine } from './client.ts';
import { trying } from './errors.ts';
import { ensureImage } from './image.ts';
import { labelsIn, newTag } from './place.ts';
import type { Place } from './place.ts';

/** Where the volume is in that container. Not the job's directory: what the image has there does not matter then. */
export const mountPoint = '/errand-workspace';

/**
 * Calls `work` with a container that has the volume mounted. It is never started, so the image needs no program of its
 * own; the engine reads and writes files in it all the same. One that a crash leaves goes with its place.
 */
export async function withMounted<T>(
  engine: Engine,
  place: Place,
  volume: string,
  ask: Ask,
  work: (container: string) => Promise<T>,
): Promise<T> {
  const mounted = await openMounted(engine, place, volume, ask);
  try {
    return await work(mounted.container);
  } finally {
    await mounted.close();
  }
}

export async function openMounted(engine: Engine, place: Place, volume: string, ask: Ask) {
  const create = () =>
    engine.createContainer(
      `${place.name}.files-${newTag()}`,
      {
        image: place.image,
        argv: ['/never-started'],
        env: [],
        labels: labelsIn(place, 'files'),
        mounts: [{ kind: 'volume', source: volume, target: mountPoint, readOnly: false, labels: labelsIn(place, 'accident') }],
        network: 'none',
        init: false,
        // Podman gives a volume to the user of the first container that has it.
        ...(place.user === '' ? {} : { user: place.user }),
      },
      ask.signal,
    );
  const created = await trying(engine, `tried to reach the files of the place ${place.key}`, async () => {
    const first = await create();
    if (first !== 'no-image') return first;
    await ensureImage(engine, place.image, ask);
    return create();
  });
  if (typeof created === 'string') {
    throw new ErrandError(
      'provider/failed',
      `tried to reach the files of the place ${place.key}: the engine has no ${place.image}`,
    );
  }
  return {
    container: created.id,
    /** Also after the caller's signal fired; what stays all the same goes with the place. */
    close: async () => {
      await engine.removeContainer(created.id, true, AbortSignal.timeout(30_000)).catch(() => undefined);
    },
  };
}
