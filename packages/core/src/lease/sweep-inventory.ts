import type { Host, Seen } from '@errand/contract';
import type { Engine } from '../engine/types.ts';
import type { SweepLine } from './report.ts';

const lately = 1_000;

/** Compares what is outside with what is written. */
export async function sweepInventory(engine: Engine, dryRun: boolean): Promise<SweepLine[]> {
  const lines: SweepLine[] = [];
  const { signal } = new AbortController();
  for (const [name, host] of await hosts(engine)) {
    try {
      for await (const seen of host.inventory(engine.store.owner, { signal, log: engine.log })) {
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

/** Of every provider that a lease was on lately; others were not asked for anything. */
async function hosts(engine: Engine): Promise<Map<string, Host>> {
  const found = new Map<string, Host>();
  for (const { spec } of await engine.store.leases({ limit: lately })) {
    if (found.has(spec.provider) || !engine.providers.definitions.has(spec.provider)) continue;
    const provider = await engine.providers.open(spec.provider, spec.options);
    if (provider.host) found.set(spec.provider, provider.host);
  }
  return found;
}
