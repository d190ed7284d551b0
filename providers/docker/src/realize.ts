// Filling a workspace. The files go into a new volume, which becomes the workspace when all of them are there; so a
// half-done realize is never seen, and a repeated one gives the same workspace.
import { basename } from 'node:path/posix';
import type { Ask, Call, TreeEntry } from '@errand/contract';
import { packTree, writeTar } from '@errand/contract/tar';
import type { TarEntry, TarOwner } from '@errand/contract/tar';
import type { Engine } from './client.ts';
import { trying } from './errors.ts';
import { label } from './layout.ts';
import { mountPoint, withMounted } from './mounted.ts';
import { labelsIn, makeCurrent, newTag, passFence, standingPlace } from './place.ts';
import type { Place } from './place.ts';
import { isRoot, ownerOf } from './user.ts';

export async function realize(engine: Engine, name: string, files: AsyncIterable<TreeEntry>, call: Call): Promise<void> {
  const place = await standingPlace(engine, name, call.signal);
  await passFence(engine, place, call.epoch, call.signal);
  const work = `${name}.work-${newTag()}`;
  const tried = `tried to fill the workspace of the place ${place.key}`;
  let mayBeCurrent = false;
  try {
    await trying(engine, tried, async () => {
      await engine.createVolume(work, labelsIn(place, 'work'), call.signal);
      await fill(engine, place, work, files, call);
      // Looked at again just before the files become visible: a new holder may have come while they were sent.
      const now = await standingPlace(engine, name, call.signal);
      await passFence(engine, now, call.epoch, call.signal);
      mayBeCurrent = true;
      await makeCurrent(engine, now, work, call.signal);
    });
  } catch (error) {
    // A switch whose answer was lost may have happened; then the place would be without its workspace.
    if (!mayBeCurrent) await engine.removeVolume(work, AbortSignal.timeout(30_000)).catch(() => undefined);
    throw error;
  }
  await removeFormer(engine, place, call.signal);
}

/** What a finished job still has mounted stays until the release. */
async function removeFormer(engine: Engine, place: Place, signal: AbortSignal): Promise<void> {
  for (const { name, labels } of place.volumes) {
    if (labels[label.role] === 'current' || labels[label.role] === 'work')
      await engine.removeVolume(name, signal).catch(() => undefined);
  }
}

async function fill(engine: Engine, place: Place, work: string, files: AsyncIterable<TreeEntry>, call: Call): Promise<void> {
  await withMounted(engine, place, work, call, async (container) => {
    const owner = await ownerOf(engine, container, place.user, call.signal);
    if (!isRoot(place.user)) await giveTo(engine, container, owner, call.signal);
    await engine.putArchive(container, mountPoint, writeTar(packTree(files, call.signal), owner), call.signal);
  });
}

/** A job of another user than root must be able to write into its workspace, which the engine makes as root's. */
export async function ownWorkspace(engine: Engine, place: Place, ask: Ask): Promise<void> {
  if (isRoot(place.user)) return;
  await withMounted(engine, place, place.work, ask, async (container) => {
    await giveTo(engine, container, await ownerOf(engine, container, place.user, ask.signal), ask.signal);
  });
}

/** The directory itself, from the one above it: an engine leaves the directory that it unpacks into as it is. */
async function giveTo(engine: Engine, container: string, owner: TarOwner, signal: AbortSignal): Promise<void> {
  async function* top(): AsyncGenerator<TarEntry> {
    yield { kind: 'directory', path: basename(mountPoint), mode: 0o755 };
  }
  await engine.putArchive(container, '/', writeTar(top(), owner), signal);
}
