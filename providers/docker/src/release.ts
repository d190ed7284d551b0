// Giving a place back. The engine refuses to remove a volume that any container uses, so a place's volumes being gone
// proves that its containers are; a job that slips in meanwhile makes it try again. The order leaves what says that
// there is a place until its containers are gone, and its fence until the very end.
import type { Call } from '@errand/contract';
import type { Engine, Volume } from './client.ts';
import { trying } from './errors.ts';
import { label } from './layout.ts';
import type { Role } from './layout.ts';
import { pause } from './pause.ts';
import { passFence, readPlace } from './place.ts';
import type { Place } from './place.ts';

const stages: readonly (readonly Role[])[] = [['current', 'work', 'shim', 'accident'], ['place'], ['epoch', 'expires', 'stop']];

export async function release(engine: Engine, name: string, call: Call): Promise<void> {
  const { signal } = call;
  await trying(engine, `tried to release the place ${name}`, async () => {
    for (let wait = 10; ; wait = Math.min(wait * 2, 1_000)) {
      const [place, containers] = await Promise.all([
        readPlace(engine, name, signal),
        engine.containers({ [label.place]: name }, signal),
      ]);
      if (!place && containers.length === 0) return;
      // A fence that rose is one more thing to remove: look again.
      if (place && (await passFence(engine, place, call.epoch, signal))) continue;
      const removed = await Promise.all(containers.map(({ id }) => engine.removeContainer(id, true, signal)));
      if (!removed.includes('busy') && (await removeVolumes(engine, place, signal))) return;
      await pause(wait, signal);
    }
  });
}

/** False when something is still in use. */
async function removeVolumes(engine: Engine, place: Place | undefined, signal: AbortSignal): Promise<boolean> {
  for (const roles of stages) {
    const now = (place?.volumes ?? []).filter((volume: Volume) => roles.includes(volume.labels[label.role] as Role));
    const removed = await Promise.all(now.map((volume) => engine.removeVolume(volume.name, signal)));
    if (removed.includes('busy')) return false;
  }
  return true;
}
