import type { Host, Seen } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { SweepLine } from './report.ts';

/** Compares what is outside with what is written, at every provider that any lease was ever on; others were not asked for anything. */
export async function sweepInventory(engine: Engine, dryRun: boolean): Promise<SweepLine[]> {
  const lines: SweepLine[] = [];
  const asked = new Set<Host>();
  const { signal } = new AbortController();
  const seenBefore = new Set<string>();
  for (const { provider: name, options } of await engine.store.providersUsed()) {
    if (!engine.providers.definitions.has(name)) continue;
    try {
      const { host } = await engine.providers.open(name, options);
      // Options that lead to the same account lead to the same places.
      if (!host || asked.has(host)) continue;
      asked.add(host);
      for await (const seen of host.inventory(engine.store.owner, { signal, log: engine.log })) {
        if (seenBefore.has(seen.key)) continue;
        seenBefore.add(seen.key);
        const line = await sweepPlace(engine, host, seen, dryRun);
        if (line) lines.push(line);
      }
    } catch (error) {
      const because = engine.redact(`cannot list what ${name} holds: ${error instanceof Error ? error.message : String(error)}`);
      lines.push({ subject: 'place', id: name, did: 'failed', because });
    }
  }
  return lines;
}

async function sweepPlace(engine: Engine, host: Host, seen: Seen<'place'>, dryRun: boolean): Promise<SweepLine | undefined> {
  const lease = await engine.store.lease(seen.key);
  const line = { subject: 'place', id: seen.key } as const;
  const over = lease?.status === 'released';
  if (lease && !over) return undefined;
  const expired = seen.expiresAt !== undefined && seen.expiresAt < engine.ports.clock.now();
  if (!lease && !expired) return { ...line, did: 'left', because: 'no lease is known for it, and it has not expired' };
  const because = lease ? `its lease is ${lease.status}` : 'no lease is known for it, and it has expired';
  if (dryRun) return { ...line, did: 'would-remove', because };
  try {
    const { signal } = new AbortController();
    // Nobody may hold a place after its lease ended, so the highest epoch is ours.
    const epoch = (lease?.epoch ?? 0) + 1;
    await host.release({ key: seen.key, handle: seen.handle }, { key: seen.key, epoch, signal, log: engine.log });
    return { ...line, did: 'removed', because };
  } catch (error) {
    return { ...line, did: 'failed', because: engine.redact(error instanceof Error ? error.message : String(error)) };
  }
}
