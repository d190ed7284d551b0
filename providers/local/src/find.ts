import { readdirSync } from 'node:fs';
import type { Ask, Seen } from '@errand/contract';
import { located, observe } from './job.ts';
import { jobHandle, jobNames, placeDir, placesDir } from './layout.ts';
import { readPlace } from './place.ts';
import { readJobRecord } from './record.ts';

export async function* find(home: string, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  for (const place of namesIn(placesDir(home))) {
    const expiresAt = readPlace(placeDir(home, place))?.expiresAt;
    for (const name of jobNames(namesIn(placeDir(home, place)))) {
      ask.signal.throwIfAborted();
      const job = located(home, place, name);
      const record = readJobRecord(job);
      if (record?.owner !== owner) continue;
      yield {
        key: record.key,
        handle: jobHandle(place, name),
        alive: observe(job, { settleUnclaimed: false }).kind === 'going',
        ...(expiresAt === undefined ? {} : { expiresAt }),
      };
    }
  }
}

/** Names that begin with a dot are places on their way in or out. */
export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
