import type { Ask, Seen } from '@errand/contract';
import type { Engine } from '../client.ts';
import type { Engines } from '../engines.ts';
import { trying } from '../errors.ts';
import { jobHandle, label, nameOf } from '../layout.ts';
import { readPlace } from '../place.ts';
import { reach } from './reach.ts';
import { readAbout } from './start.ts';
import { ask as types, said } from './wire.ts';

/** Jobs in containers that run. In one that is down nothing is alive, and a list may lag. */
export async function* jobsInside(engines: Engines, engine: Engine, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  const tried = `tried to list the jobs on ${engine.address}`;
  const mine = { [label.owner]: owner, [label.role]: 'standing' };
  const containers = await trying(engine, tried, () => engine.containers(mine, ask.signal));
  for (const { labels } of containers) {
    const name = labels[label.place] ?? '';
    const replies = await trying(engine, tried, async () => {
      const line = await reach(engines, engine, name, ask.signal);
      return (await line?.ask(types.list, Buffer.alloc(0), ask.signal)) ?? [];
    });
    const expiresAt = replies.length > 1 ? (await readPlace(engine, name, ask.signal))?.expiresAt : undefined;
    for (const { type, extra, payload } of replies) {
      const about = type === said.listed ? readAbout(payload.toString()) : undefined;
      if (about?.owner !== owner) continue;
      yield {
        key: about.key,
        handle: jobHandle({ engine: engine.address, place: name, job: nameOf(about.key), inside: true }),
        alive: extra === 1,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      };
    }
  }
}
