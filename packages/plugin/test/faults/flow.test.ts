// Whoever reads slowly slows the sender down; nothing piles up in between.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LogChunk, TreeEntry } from '@errand/contract';
import { throughWire } from '../served.ts';
import { ask, call, place, stubProvider } from '../stub.ts';

const mega = 1024 * 1024;

/** Output without an end that counts what was taken from it. */
function endless(size: number, most = Number.POSITIVE_INFINITY) {
  const bytes = Buffer.alloc(size, 'x');
  const taken = { bytes: 0, ended: false };
  async function* chunks(): AsyncGenerator<LogChunk> {
    try {
      while (taken.bytes < most) {
        taken.bytes += size;
        yield { stream: 'stdout', bytes, cursor: String(taken.bytes) };
      }
    } finally {
      taken.ended = true;
    }
  }
  return { taken, chunks };
}

test('512 MiB of output pass with flat memory', async () => {
  const total = 512 * mega;
  const { chunks } = endless(64 * 1024, total);
  await using wired = await throughWire(stubProvider({ runner: { logs: chunks } }));
  let got = 0;
  let highest = 0;
  let first: number | undefined;
  for await (const chunk of wired.runner?.logs({ key: 'k' }, undefined, ask()) ?? []) {
    got += chunk.bytes.length;
    if (got % (16 * mega) !== 0) continue;
    const { rss } = process.memoryUsage();
    // What the first part takes is buffers and compiled code that stay.
    if (got === 128 * mega) first = rss;
    highest = Math.max(highest, rss);
  }
  expect(got).toBe(total);
  expect(highest - (first ?? 0)).toBeLessThan(200 * mega);
});

test('a log that nobody reads on stops its source, and leaving it ends it', async () => {
  const { taken, chunks } = endless(64 * 1024);
  await using wired = await throughWire(stubProvider({ runner: { logs: chunks } }));
  for await (const _ of wired.runner?.logs({ key: 'k' }, undefined, ask()) ?? []) {
    await sleep(500);
    const before = taken.bytes;
    await sleep(200);
    expect(taken.bytes).toBe(before);
    expect(before).toBeLessThan(24 * mega);
    break;
  }
  await expect.poll(() => taken.ended).toBe(true);
});

test('a workspace that nobody takes in stops its source', async () => {
  let sent = 0;
  let ended = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        sent += mega;
        yield Buffer.alloc(mega);
      }
    } finally {
      ended = true;
    }
  }
  async function* files(): AsyncGenerator<TreeEntry> {
    yield { kind: 'file', path: 'big', mode: 0o644, size: 2 ** 40, content };
  }
  const enough = new Error('enough');
  const host = {
    realize: async () => {
      await sleep(1_500);
      throw enough;
    },
  };
  await using wired = await throughWire(stubProvider({ host }));
  const realizing = wired.host?.realize(place, files(), call());
  const failed = expect(realizing).rejects.toThrow('enough');
  await sleep(700);
  const before = sent;
  await sleep(300);
  expect(sent).toBe(before);
  expect(before).toBeLessThan(24 * mega);
  await failed;
  await expect.poll(() => ended).toBe(true);
});

test('talk is dropped rather than piled up', async () => {
  const line = 'x'.repeat(1_000);
  const host = {
    acquire: async (_: unknown, { log }: { log: (line: string) => void }) => {
      for (let index = 0; index < 100_000; index++) log(line);
      return place;
    },
  };
  await using wired = await throughWire(stubProvider({ host }));
  let heard = 0;
  const spec = { owner: 'o', expiresAt: 0, resources: {}, labels: {}, options: {} };
  expect(await wired.host?.acquire(spec, call({ log: () => void heard++ }))).toEqual(place);
  expect(heard).toBeGreaterThan(0);
  expect(heard).toBeLessThan(1_000);
});

test('many calls at once share one connection', async () => {
  const runner = { wait: async ({ key }: { key: string }) => ({ kind: 'exited', code: Number(key) }) as const };
  await using wired = await throughWire(stubProvider({ runner }));
  const keys = Array.from({ length: 1_000 }, (_, index) => String(index));
  const exits = await Promise.all(keys.map(async (key) => wired.runner?.wait({ key }, ask())));
  expect(exits.map((exit) => exit?.kind === 'exited' && String(exit.code))).toEqual(keys);
});
