// What the engine's init program is good for, and that nothing breaks on an engine without one.
import { expect, test } from 'vitest';
import { ask } from '../bed.ts';
import { bed, needEngine, openWorld, print } from './bed.ts';

test('without one, a program that cannot run is told by the engine’s own words, once', async ({ skip }) => {
  needEngine(skip);
  if (typeof bed !== 'string' && bed.podman) skip('Podman keeps no record of a program that it could not start');
  await using world = await openWorld();
  const place = await world.acquire();
  const provider = world.open((real) => ({ info: async (signal) => ({ ...(await real.info(signal)), hasInit: false }) }));
  await print(provider, world.spec(place, 'echo data > plain; chmod 600 plain'));
  for (const [program, code] of [
    ['errand-no-such-program', 127],
    ['./plain', 126],
  ] as const) {
    const key = `${world.job}-${code}`;
    const spec = { ...world.spec(place, ''), command: { argv: [program] } };
    const handle = await provider.runner.start(spec, world.call(key, 1_000));
    expect(await provider.runner.start(spec, world.call(key, 1_000))).toEqual(handle);
    expect(await provider.runner.wait({ key, handle }, ask)).toMatchObject({ kind: 'exited', code });
    const chunks = [];
    for await (const chunk of provider.runner.logs({ key, handle }, undefined, ask)) chunks.push(chunk);
    expect(chunks.map((one) => one.stream)).toEqual(['stderr']);
    expect(Buffer.from(chunks[0]?.bytes ?? []).toString()).toContain(program);
    for await (const again of provider.runner.logs({ key, handle }, chunks[0]?.cursor, ask)) expect(again).toBeUndefined();
  }
});

test('with one, a program that does not handle SIGTERM ends at it', async ({ skip }) => {
  needEngine(skip);
  await using world = await openWorld();
  if (!(await world.engine.info(ask.signal)).hasInit) skip('the engine has no init program');
  const place = await world.acquire();
  const { runner } = world.open();
  const spec = { ...world.spec(place, ''), command: { argv: ['sleep', '60'] } };
  const handle = await runner.start(spec, world.call(world.job));
  const ended = runner.wait({ key: world.job, handle }, ask);
  // The engine says that it runs before its init program listens, so a single request may be lost; Errand insists.
  const insist = setInterval(() => void runner.stop({ key: world.job, handle }, 'ask', world.call('stop')), 500);
  try {
    expect(await ended).toMatchObject({ kind: 'signalled', signal: 'SIGTERM' });
  } finally {
    clearInterval(insist);
  }
});
