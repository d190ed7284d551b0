import type { Stream } from '@errand/contract';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogSeal } from '../model/run.ts';
import { followLog } from './follow.ts';
import { createMemoryLogs } from './memory.ts';
import type { LogWriter } from './port.ts';
import { readNow } from './read-now.ts';

const run = 'r1';
const total = 12;

/** Watchers that capture the chunks `0 … total-1`, take over from each other, and write on after they were fenced. */
function createWatchers() {
  const logs = createMemoryLogs();
  const seals: LogSeal[] = [];
  const watchers: { epoch: number; writer: LogWriter | undefined; next: number }[] = [{ epoch: 1, writer: undefined, next: 0 }];
  const current = () => watchers.at(-1)!;
  const isSealed = (epoch: number) => seals.some((seal) => seal.epoch === epoch);

  /** A fresh watcher begins where the last seal says, and only when every older epoch is sealed. */
  async function write(watcher: { epoch: number; writer: LogWriter | undefined; next: number }) {
    for (let epoch = 1; epoch < watcher.epoch; epoch++) if (!isSealed(epoch) && !watcher.writer) return;
    if (!watcher.writer) {
      watcher.next = Number(seals.findLast((seal) => seal.position)?.position?.cursor ?? 0);
      watcher.writer = await logs.writer(run, watcher.epoch);
    }
    if (watcher.next >= total) return;
    const text = String(watcher.next++);
    const position = { cursor: String(watcher.next), skip: { stdout: 0, stderr: 0 } };
    await watcher.writer.append(Number(text) % 3 === 0 ? 'stderr' : 'stdout', Buffer.from(`${text} `), position);
  }

  const steps: Record<string, () => Promise<void>> = {
    write: () => write(current()),
    stale: async () => {
      for (const watcher of watchers.slice(0, -1)) if (watcher.writer) await write(watcher);
    },
    claim: async () => {
      watchers.push({ epoch: current().epoch + 1, writer: undefined, next: 0 });
    },
    seal: async () => {
      const open = watchers.slice(0, -1).filter((watcher) => !isSealed(watcher.epoch));
      seals.push(...(await Promise.all(open.map((watcher) => logs.tail(run, watcher.epoch)))));
    },
  };
  const view = () => ({ seals: [...seals], epoch: current().epoch, complete: current().next >= total });
  return { logs, view, steps };
}

const step = fc.constantFrom('write', 'write', 'stale', 'claim', 'seal', 'seal', 'nothing');
const anyStream = fc.constantFrom<(Stream | undefined)[]>(undefined, 'stdout', 'stderr');

/** A log whose watchers do the next thing of the script whenever its reader waits for something. */
function createScene(script: readonly string[]) {
  const { logs, view, steps } = createWatchers();
  const queue = [...script];
  const finish = ['seal', 'write', 'stale'];
  let turns = 0;
  const advance = async () => {
    if (++turns > 2000) throw new Error('the reader does not end');
    await steps[queue.shift() ?? finish[turns % finish.length]!]?.();
  };
  const deps = {
    logs: {
      watch: (id: string, listener: () => void) => logs.watch(id, listener),
      read: async function* (...args: Parameters<typeof logs.read>) {
        await advance();
        for await (const entry of logs.read(...args)) {
          yield entry;
          await advance();
        }
      },
    },
    clock: { sleep: advance },
    view: async () => {
      await advance();
      const seen = view();
      await advance();
      return seen;
    },
  };
  return { deps, view };
}

function expected(stream: Stream | undefined): string {
  const all = Array.from({ length: total }, (_, i) => i);
  return all
    .filter((i) => !stream || (stream === 'stderr') === (i % 3 === 0))
    .map((i) => `${i} `)
    .join('');
}

test('shows every chunk once, whenever watchers take over and stale ones write', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), anyStream, async (script, stream) => {
      const { deps } = createScene(script);
      let shown = '';
      for await (const entry of followLog(deps, run, { stream })) shown += Buffer.from(entry.bytes).toString();
      expect(shown).toBe(expected(stream));
    }),
    { numRuns: 1000 },
  );
});

test('does so too for one who reads what is there, again and again from the last cursor', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), anyStream, async (script, stream) => {
      const { deps, view } = createScene(script);
      let shown = '';
      let since: string | undefined;
      for (let complete = false; !complete;) {
        ({ complete } = view());
        for await (const entry of readNow(deps, run, { stream, since })) {
          shown += Buffer.from(entry.bytes).toString();
          since = entry.cursor;
        }
      }
      expect(shown).toBe(expected(stream));
    }),
    { numRuns: 1000 },
  );
});

test('waits for a takeover to say where the log ends, but not for ever', async () => {
  const logs = createMemoryLogs();
  {
    await using writer = await logs.writer(run, 1);
    await writer.append('stdout', Buffer.from('x'), { cursor: '1', skip: { stdout: 0, stderr: 0 } });
  }
  const seal = await logs.tail(run, 1);
  const read = async (sealedAfter: number) => {
    let naps = 0;
    const view = async () => ({ seals: naps >= sealedAfter ? [seal] : [], epoch: 2, complete: false });
    const clock = { sleep: async () => void naps++ };
    const shown: string[] = [];
    for await (const entry of readNow({ logs, clock, view }, run)) shown.push(Buffer.from(entry.bytes).toString());
    return { shown, naps };
  };
  expect(await read(0)).toEqual({ shown: ['x'], naps: 0 });
  expect(await read(3)).toEqual({ shown: ['x'], naps: 3 });
  const { shown, naps } = await read(Infinity);
  expect(shown).toEqual([]);
  expect(naps).toBeLessThan(50);
});

test('sleeps between polls, wakes for an append or a change of the run, and ends on its signal', async () => {
  const logs = createMemoryLogs();
  const naps: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    naps.push(ms);
    return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  };
  let wake: (() => void) | undefined;
  let woken = false;
  const controller = new AbortController();
  const deps = {
    logs,
    clock: { sleep },
    view: async () => ({ seals: [], epoch: 1, complete: false }),
    wake: (listener: () => void) => {
      wake = listener;
      return { [Symbol.dispose]: () => (woken = true) };
    },
  };
  const entries = followLog(deps, run, { signal: controller.signal });
  const first = entries.next();
  await expect.poll(() => naps).toEqual([100]);
  wake?.();
  await expect.poll(() => naps).toEqual([100, 100]);
  await using writer = await logs.writer(run, 1);
  await writer.append('stdout', Buffer.from('x'), { cursor: '1', skip: { stdout: 0, stderr: 0 } });
  expect((await first).value?.cursor).toMatch(/^1\.\d+$/);
  const second = entries.next();
  await expect.poll(() => naps.length).toBe(3);
  controller.abort();
  expect(await second).toEqual({ done: true, value: undefined });
  expect(woken).toBe(true);
});
