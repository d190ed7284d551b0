// A line to the engine that is cut again and again: output neither lost nor doubled, and the exit is the job's.
import { expect, test } from 'vitest';
import { ask } from '../bed.ts';
import { needEngine, openLine, openWorld } from './bed.ts';

test.for([false, true])('cuts while a job runs, standing place: %s', async (standing, { skip }) => {
  needEngine(skip);
  await using proxy = await openLine();
  await using world = await openWorld({ standing });
  const provider = world.open(undefined, proxy.address);
  const place = await world.acquire(provider, proxy.address);
  const script =
    'i=0; while [ $i -lt 300 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); [ $((i % 10)) = 0 ] && sleep 0.1; done; exit 6';
  const handle = await provider.runner.start(world.spec(place, script, proxy.address), world.call(world.job));
  const texts = { stdout: '', stderr: '' };
  const following = (async () => {
    for await (const chunk of provider.runner.logs({ key: world.job, handle }, undefined, ask)) {
      texts[chunk.stream] += Buffer.from(chunk.bytes).toString();
    }
  })();
  const waiting = provider.runner.wait({ key: world.job, handle }, ask);
  let over = false;
  void waiting.then(() => (over = true));
  for (let round = 0; !over; round++) {
    await new Promise((resolve) => setTimeout(resolve, 170));
    proxy.refuse(round % 5 === 4);
    proxy.cut();
  }
  proxy.refuse(false);
  expect(await waiting).toMatchObject({ kind: 'exited', code: 6 });
  await following;
  const lines = (word: string) => `${Array.from({ length: 300 }, (_, index) => `${word} ${index}`).join('\n')}\n`;
  expect(texts).toEqual({ stdout: lines('out'), stderr: lines('err') });
});
