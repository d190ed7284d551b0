import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ask, Seen } from '@errand/contract';
import { readRecord } from './files.ts';
import { located, observe } from './job.ts';
import { jobHandle, placesDir } from './layout.ts';
import { readPlace } from './place.ts';

export async function* find(home: string, owner: string, ask: Ask): AsyncGenerator<Seen<'job'>> {
  for (const place of namesIn(placesDir(home))) {
    for (const name of namesIn(join(placesDir(home), place, 'jobs'))) {
      ask.signal.throwIfAborted();
      const job = located(home, place, name);
      const record = readRecord(join(job.dir, 'job.json'));
      if (record?.['owner'] !== owner || typeof record['key'] !== 'string') continue;
      const expiresAt = readPlace(job.placeDir)?.expiresAt;
      yield {
        key: record['key'],
        handle: jobHandle(place, name),
        alive: observe(home, job, { settleUnclaimed: false }).kind === 'going',
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
