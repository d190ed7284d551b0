import { expect, test } from 'vitest';
import { ErrandError } from '@errand/contract';
import { keep } from './keep.ts';
import type { Alive } from './keep.ts';

const signal = new AbortController().signal;

/** Things that are numbered as they are launched, and die when told. */
function workshop(failing = 0) {
  const all: { die: (why: string) => void; stopped: boolean }[] = [];
  let tried = 0;
  const launch = async (): Promise<Alive<number>> => {
    if (tried++ < failing) throw new ErrandError('provider/failed', 'no');
    let epitaph: string | undefined;
    let die: (why: string) => void = () => {};
    const gone = new Promise<string>((resolve) => {
      die = (why) => {
        epitaph = why;
        resolve(why);
      };
    });
    const one = { die, stopped: false };
    all.push(one);
    const stop = async () => {
      one.stopped = true;
      die('stopped');
    };
    return { value: all.length, gone, epitaph: () => epitaph, stop };
  };
  return { all, launch, tried: () => tried };
}

test('many calls at once share one launch, and closing stops it', async () => {
  const { all, launch } = workshop();
  const kept = keep(launch, { name: 'x' });
  expect(await Promise.all(Array.from({ length: 50 }, () => kept.use(signal, async (value) => value)))).toEqual(
    Array(50).fill(1),
  );
  await kept[Symbol.asyncDispose]();
  expect(all.map((one) => one.stopped)).toEqual([true]);
  await expect(kept.use(signal, async () => 0)).rejects.toMatchObject({ code: 'provider/unreachable', retry: 'never' });
});

test('a death in the middle of a call is told as one, and the next call launches anew', async () => {
  const { all, launch } = workshop();
  const kept = keep(launch, { name: 'x', firstPause: 1 });
  const broken = kept.use(signal, async () => {
    setTimeout(() => all[0]?.die('it ended with exit status 3'), 50);
    throw new ErrandError('provider/unreachable', 'connection dropped');
  });
  await expect(broken).rejects.toMatchObject({
    code: 'provider/unreachable',
    retry: 'safe',
    message: expect.stringMatching(/exit status 3/) as string,
  });
  expect(await kept.use(signal, async (value) => value)).toBe(2);
});

test('a call that fails for its own reasons keeps its error', async () => {
  const kept = keep(workshop().launch, { name: 'x' });
  const broken = kept.use(signal, async () => {
    throw new ErrandError('provider/quota', 'too many');
  });
  await expect(broken).rejects.toMatchObject({ code: 'provider/quota' });
});

test('whoever waits for a launch that fails hears why; the next call tries again after a pause that grows', async () => {
  const { launch, tried } = workshop(3);
  const kept = keep(launch, { name: 'x', firstPause: 30 });
  const begun = performance.now();
  const first = await Promise.allSettled([1, 2, 3].map(() => kept.use(signal, async () => 0)));
  expect(first.map((each) => each.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(tried()).toBe(1);
  await expect(kept.use(signal, async () => 0)).rejects.toMatchObject({ code: 'provider/failed' });
  await expect(kept.use(signal, async () => 0)).rejects.toMatchObject({ code: 'provider/failed' });
  expect(await kept.use(signal, async (value) => value)).toBe(1);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(30 + 60 + 120 - 5);
});

test('a caller that gives up waits no longer, and takes nobody along', async () => {
  const { launch } = workshop();
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return await launch();
  };
  const kept = keep(slow, { name: 'x' });
  const abort = new AbortController();
  const impatient = kept.use(abort.signal, async () => 0);
  const patient = kept.use(signal, async (value) => value);
  abort.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  expect(await patient).toBe(1);
});

test('a stream is carried through, and its break is told', async () => {
  const { all, launch } = workshop();
  const kept = keep(launch, { name: 'x' });
  const seen: number[] = [];
  const stream = kept.each(signal, async function* (value) {
    yield value;
    all[0]?.die('it was killed');
    throw new ErrandError('provider/unreachable', 'connection dropped');
  });
  const read = async () => {
    for await (const each of stream) seen.push(each);
  };
  await expect(read()).rejects.toThrow(/it was killed in the middle/);
  expect(seen).toEqual([1]);
});

test('closing while it is being launched gives the launch up', async () => {
  const kept = keep<number>(
    (closing) => new Promise((_, reject) => closing.addEventListener('abort', () => reject(closing.reason as Error))),
    { name: 'x' },
  );
  const waiting = kept.use(signal, async () => 0);
  const refused = expect(waiting).rejects.toMatchObject({ code: 'provider/unreachable', retry: 'never' });
  await kept[Symbol.asyncDispose]();
  await refused;
});
