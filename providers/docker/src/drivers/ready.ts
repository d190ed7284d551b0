import { ErrandError } from '@errand/contract';
import type { Ask } from '@errand/contract';
import { readFrames } from '../frames.ts';
import { pause } from '../pause.ts';
import type { ResourceEngine, ServiceContainer } from './client.ts';

/** A program that cannot be run, or fails at once, does so within this time. Milliseconds. */
const settling = 500;

/** Resolves when every container runs and is healthy; one that failed is an error with what it said. */
export async function waitReady(engine: ResourceEngine, what: string, names: readonly string[], ask: Ask): Promise<void> {
  const waiting = new Set(names);
  const restarts = new Map<string, number>();
  for (let wait = 50; ; wait = Math.min(wait * 1.5, 500)) {
    for (const name of waiting) {
      const there = await engine.service(name, ask.signal);
      if (!there) throw new ErrandError('provider/failed', `waited for ${what}: the container ${name} was removed`);
      const before = restarts.get(name) ?? there.restarts;
      restarts.set(name, before);
      if (hasFailed(there) || there.restarts > before) throw await failure(engine, what, there, ask);
      if (isReady(there)) waiting.delete(name);
    }
    if (waiting.size === 0) return;
    await pause(wait, ask.signal);
  }
}

export const isReady = (one: ServiceContainer) =>
  one.status === 'running' && (one.health === 'healthy' || (one.health === 'none' && Date.now() - one.startedAt > settling));

const hasFailed = (one: ServiceContainer) =>
  one.status === 'exited' || one.status === 'dead' || one.status === 'restarting' || one.health === 'unhealthy';

async function failure(engine: ResourceEngine, what: string, one: ServiceContainer, ask: Ask): Promise<ErrandError> {
  const happened =
    one.health === 'unhealthy'
      ? `the health check of ${one.name} failed${one.healthSaid === '' ? '' : ` (${one.healthSaid})`}`
      : `the container ${one.name} ended with ${one.exitCode}${one.error === '' ? '' : ` (${one.error})`}`;
  const said = await tail(engine, one.id, ask);
  return new ErrandError('provider/failed', `started ${what}: ${happened}${said === '' ? '' : `; it said: ${said}`}`, {
    next: `See \`docker logs ${one.name}\`, correct the config, and apply again.`,
  });
}

/** The last that a container wrote; nothing when the engine does not tell. */
export async function tail(engine: ResourceEngine, id: string, ask: Ask): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    const framed = engine.logs(id, { follow: false, stdout: true, stderr: true }, ask.signal);
    for await (const frames of readFrames(framed)) parts.push(...frames.map((frame) => frame.bytes));
  } catch {
    ask.signal.throwIfAborted();
  }
  return Buffer.concat(parts).toString().slice(-1_500).trim();
}
