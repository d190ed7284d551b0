import type { Ask, Seen } from '@errand/contract';
import type { Engine } from './client.ts';
import { onEach } from './engines.ts';
import type { Engines } from './engines.ts';
import { engineError } from './errors.ts';
import { groups } from './host.ts';
import { jobHandle, label, nameOf } from './layout.ts';
import { placeFrom } from './place.ts';
import { jobsInside } from './standing/find.ts';

export function find(engines: Engines, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  return onEach(engines, async function* (engine) {
    yield* jobsOn(engine, owner, ask);
    yield* jobsInside(engines, engine, owner, ask);
  });
}

async function* jobsOn(engine: Engine, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  try {
    const [containers, volumes] = await Promise.all([
      engine.containers({ [label.owner]: owner, [label.role]: 'job' }, ask.signal),
      engine.volumes({ [label.owner]: owner }, ask.signal),
    ]);
    const places = groups(volumes);
    for (const { labels, status } of containers) {
      ask.signal.throwIfAborted();
      const key = labels[label.key] ?? '';
      const place = labels[label.place] ?? '';
      const expiresAt = placeFrom(place, places.get(place) ?? [])?.expiresAt;
      yield {
        key,
        handle: jobHandle({ engine: engine.address, place, job: nameOf(key) }),
        alive: status !== 'exited' && status !== 'dead',
        ...(expiresAt === undefined ? {} : { expiresAt }),
      };
    }
  } catch (error) {
    throw engineError(engine.address, `tried to list the jobs on ${engine.address}`, error);
  }
}
