// A release that is cut off at any point is found again and finished.
import { expect, test } from 'vitest';
import { EngineFailure } from '../../src/client.ts';
import type { Engine } from '../../src/client.ts';
import { ask } from '../bed.ts';
import { needEngine, openWorld } from './bed.ts';

/** Lets `calls` removals through and then answers nothing any more. */
function dying(real: Engine, calls: number): Partial<Engine> {
  let left = calls;
  const guard =
    <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (left-- <= 0) throw new EngineFailure('the line was cut', { code: 'ECONNRESET' });
      return work(...args);
    };
  return {
    removeContainer: guard((...args) => real.removeContainer(...args)),
    removeVolume: guard((...args) => real.removeVolume(...args)),
  };
}

test('cut after any number of removals, the place is still listed, and the next release ends it', async ({ skip }) => {
  needEngine(skip);
  for (let calls = 0; calls < 8; calls++) {
    await using world = await openWorld();
    const provider = world.open();
    const place = await world.acquire(provider);
    await provider.host.realize(place, files(), world.call('realize'));
    await provider.host.renew(place, Date.now() + 900_000, world.call('renew', 2));
    const handle = await provider.runner.start(world.spec(place, 'sleep 60'), world.call(world.job, 2));
    const dead = world.open((real) => dying(real, calls));
    const ended = await dead.host.release({ key: world.placeKey }, world.call('release', 2)).then(
      () => true,
      () => false,
    );
    expect(await listed(world)).toBe(!ended);
    await provider.host.release({ key: world.placeKey, handle: place }, world.call('release', 2));
    expect(await world.left()).toEqual([]);
    expect((await provider.runner.wait({ key: world.job, handle }, ask)).kind).toBe('lost');
  }
});

test('a realize that died half-way leaves the old workspace, and goes with its place', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const provider = world.open();
  const place = await world.acquire(provider);
  await provider.host.realize(place, files(), world.call('realize'));
  const dead = world.open(() => ({
    putArchive: () => Promise.reject(new EngineFailure('the line was cut', { code: 'ECONNRESET' })),
    removeContainer: () => Promise.reject(new EngineFailure('the line was cut', { code: 'ECONNRESET' })),
    removeVolume: () => Promise.reject(new EngineFailure('the line was cut', { code: 'ECONNRESET' })),
  }));
  await expect(dead.host.realize(place, files(), world.call('realize'))).rejects.toMatchObject({ code: 'provider/unreachable' });
  const found = [];
  for await (const entry of provider.host.collect(place, ['**'], ask)) found.push(entry.path);
  expect(found).toEqual(['a']);
  await world.release();
  expect(await world.left()).toEqual([]);
});

async function* files() {
  yield { kind: 'file' as const, path: 'a', mode: 0o644, size: 1, content: one };
}

async function* one() {
  yield Buffer.from('x');
}

async function listed(world: Awaited<ReturnType<typeof openWorld>>): Promise<boolean> {
  const owner = world.spec({ kind: 'place', provider: 'docker', version: 1, state: null }, '').owner;
  for await (const seen of world.open().host.inventory(owner, ask)) if (seen.key === world.placeKey) return true;
  return false;
}
