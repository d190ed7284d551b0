import type { Ask, Handle, Host } from '@errand/contract';

/** How long a place stays after the last question about its job. */
const keepFor = 3_600_000;
const sweepEvery = 60_000;

/** A public job knows no places and nobody gives one back, so each is kept for as long as its job is asked about. */
export interface JobPlaces {
  acquire(name: string, image: string | undefined, timeout: number | undefined, ask: Ask): Promise<Handle<'place'>>;
  /** May be called often. */
  renew(name: string, place: Handle<'place'>, ask: Ask): Promise<void>;
}

export function createJobPlaces(host: Host, owner: string, options: () => PlaceOptions): JobPlaces {
  const renewedAt = new Map<string, number>();
  let sweptAt = 0;

  async function sweep(): Promise<void> {
    if (Date.now() - sweptAt < sweepEvery) return;
    sweptAt = Date.now();
    const ask = { signal: new AbortController().signal, log: () => undefined };
    for await (const { key, handle, expiresAt } of host.inventory(owner, ask)) {
      if (expiresAt === undefined || expiresAt > Date.now()) continue;
      renewedAt.delete(key);
      await host.release({ key, handle }, { ...ask, key, epoch: 1 });
    }
  }

  return {
    async acquire(name, image, timeout = 0, ask) {
      // Whoever wants a place now is not to wait for the removal of others, nor to hear of trouble with it.
      void sweep().catch(() => undefined);
      const now = Date.now();
      renewedAt.set(name, now + timeout);
      const spec = { owner, expiresAt: now + timeout + keepFor, resources: {}, labels: {}, options: options() };
      return host.acquire({ ...spec, ...(image !== undefined && { image }) }, { ...ask, key: name, epoch: 1 });
    },
    async renew(name, place, ask) {
      const now = Date.now();
      if (now - (renewedAt.get(name) ?? 0) < keepFor / 2) return;
      renewedAt.set(name, now);
      await host.renew(place, now + keepFor, { ...ask, key: name, epoch: 1 });
    },
  };
}

type PlaceOptions = Parameters<Host['acquire']>[0]['options'];
