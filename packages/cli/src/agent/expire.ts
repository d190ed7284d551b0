// The agent gives up by itself what has expired: a client that died is not there to do it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask, Host, Seen } from '@errand/contract';
import type { Owners } from './owners.ts';

export interface ExpiryOptions {
  readonly every: number;
  readonly leaving: AbortSignal;
  readonly say: (line: string) => void;
}

/** A renewal that was sent in time has arrived by then. */
const margin = 10_000;
/** Nobody may hold a place after its expiry. */
const lastEpoch = Number.MAX_SAFE_INTEGER;

export async function expireForEver(host: Host, owners: Owners, options: ExpiryOptions): Promise<void> {
  while (!options.leaving.aborted) {
    await expireOnce(host, owners, options);
    await sleep(options.every, undefined, { signal: options.leaving }).catch(() => undefined);
  }
}

export async function expireOnce(host: Host, owners: Owners, options: ExpiryOptions): Promise<void> {
  const before = Date.now() - margin;
  for (const owner of owners.all()) {
    await removeAll(host, owner, options, (seen) => seen.expiresAt !== undefined && seen.expiresAt < before);
  }
}

/** False when something is left that is over. */
export async function removeAll(
  host: Host,
  owner: string,
  { leaving, say }: Omit<ExpiryOptions, 'every'>,
  isOver: (seen: Seen<'place'>) => boolean,
): Promise<boolean> {
  const ask: Ask = { signal: leaving, log: () => undefined };
  try {
    for await (const seen of host.inventory(owner, ask)) {
      if (!isOver(seen)) continue;
      await host.release(seen, { ...ask, key: seen.key, epoch: lastEpoch });
      say(`gave up the place ${JSON.stringify(seen.key)}: nobody has it any more`);
    }
    return true;
  } catch (error) {
    if (!leaving.aborted) say(`could not give up what has expired: ${(error as Error).message}`);
    return false;
  }
}
