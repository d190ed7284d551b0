// A start that is cut off at any point, and started again, has one effect.
import { expect, test } from 'vitest';
import { EngineFailure } from '../../src/client.ts';
import { createEngines } from '../../src/engines.ts';
import { ask, signal } from '../bed.ts';
import { needEngine, openWorld, print } from './bed.ts';
import type { Fault } from './bed.ts';

const cut = () => new EngineFailure('the line was cut', { code: 'ECONNRESET' });

/** Fails the first call, before or after it took effect. */
function once(method: 'createContainer' | 'startContainer', when: 'before' | 'after'): Fault {
  let failed = false;
  return (real) => ({
    [method]: async (...args: never[]) => {
      if (failed) return (real[method] as (...all: never[]) => unknown)(...args);
      failed = true;
      if (when === 'after') await (real[method] as (...all: never[]) => unknown)(...args);
      throw cut();
    },
  });
}

const cases = [
  ['createContainer', 'before'],
  ['createContainer', 'after'],
  ['startContainer', 'before'],
  ['startContainer', 'after'],
] as const;

test.for(cases)('the answer to %s is lost %s it took effect', async ([method, when], { skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const provider = world.open(once(method, when));
  const spec = world.spec(place, 'echo x >> effects; exit 3');
  const first = await provider.runner.start(spec, world.call(world.job)).catch((error: unknown) => error);
  // One that took effect may be recognised at once.
  if (method !== 'startContainer' || when === 'before') expect(first).toMatchObject({ code: 'provider/unreachable' });
  const handle = await provider.runner.start(spec, world.call(world.job));
  expect(await provider.runner.wait({ key: world.job, handle }, ask)).toMatchObject({ kind: 'exited', code: 3 });
  expect(await print(provider, world.spec(place, 'cat effects'))).toBe('x\n');
});

test('one who finds a container that was made and not started waits for its maker', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const spec = world.spec(place, 'echo x >> effects');
  const waiting = Promise.withResolvers<void>();
  const made = Promise.withResolvers<void>();
  const slow = world.open((real) => ({
    async startContainer(id, inner) {
      made.resolve();
      await waiting.promise;
      return real.startContainer(id, inner);
    },
  }));
  const first = slow.runner.start(spec, world.call(world.job));
  await made.promise;
  const second = world.open().runner.start(spec, world.call(world.job));
  expect(
    await Promise.race([second.then(() => 'started'), new Promise((resolve) => setTimeout(resolve, 2_500, 'waiting'))]),
  ).toBe('waiting');
  waiting.resolve();
  expect(await second).toEqual(await first);
  await slow.runner.wait({ key: world.job }, ask);
  expect(await print(slow, world.spec(place, 'cat effects'))).toBe('x\n');
});

test('another job under the same key is refused', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const { runner } = world.open();
  await runner.start(world.spec(place, 'exit 0'), world.call(world.job));
  await expect(runner.start(world.spec(place, 'exit 1'), world.call(world.job))).rejects.toMatchObject({
    code: 'provider/conflict',
  });
});

test('a start that comes after its place was released leaves nothing behind', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const late = world.open((real) => ({
    async createContainer(name, request, inner) {
      await world.release();
      return real.createContainer(name, request, inner);
    },
  }));
  await expect(late.runner.start(world.spec(place, 'true'), world.call(world.job))).rejects.toMatchObject({
    code: 'provider/not-found',
  });
  expect(await world.left()).toEqual([]);
});

test('a stop that comes between making and starting wins', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const provider = world.open((real) => ({
    async startContainer(id, inner) {
      await world.open().runner.stop({ key: world.job }, 'ask', world.call('stop'));
      return real.startContainer(id, inner);
    },
  }));
  const handle = await provider.runner.start(world.spec(place, 'echo x >> effects'), world.call(world.job));
  expect(await provider.runner.wait({ key: world.job, handle }, ask)).toMatchObject({ kind: 'signalled' });
  expect(await print(provider, world.spec(place, 'cat effects 2>/dev/null; true'))).toBe('');
});

test('a job that is removed behind our back is lost, with evidence', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  const { runner } = world.open();
  const handle = await runner.start(world.spec(place, 'echo some; sleep 60'), world.call(world.job));
  const [waiting, following] = [
    runner.wait({ key: world.job, handle }, ask),
    (async () => {
      for await (const chunk of runner.logs({ key: world.job, handle }, undefined, ask)) void chunk;
    })(),
  ];
  following.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await world.engine.removeContainer(`errand-${world.job}`, true, signal);
  expect(await waiting).toMatchObject({ kind: 'lost', evidence: expect.stringContaining(world.job) });
  await expect(following).rejects.toMatchObject({ code: 'provider/not-found' });
});

test('an engine that is gone for good is said to be', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  const place = await world.acquire();
  using gone = createEngines(`${world.placeKey}-none`, () => ({ ...world.engine, volumes: () => Promise.reject(cut()) }));
  const { createRunner } = await import('../../src/runner.ts');
  await expect(createRunner(gone).start(world.spec(place, 'true'), world.call(world.job))).rejects.toMatchObject({
    code: 'provider/unreachable',
  });
});
