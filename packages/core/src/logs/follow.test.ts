import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogSeal } from '../model/run.ts';
import { followLog } from './follow.ts';
import { createMemoryLogs } from './memory.ts';
import type { LogWriter } from './port.ts';

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

test('shows every chunk once, whenever watchers take over and stale ones write', async () => {
  const step = fc.constantFrom('write', 'write', 'stale', 'claim', 'seal', 'seal', 'nothing');
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.constantFrom(undefined, 'stdout', 'stderr'),
      async (script, stream) => {
        const { logs, view, steps } = createWatchers();
        const queue = [...script];
        const finish = ['seal', 'write', 'stale'];
        let turns = 0;
        const advance = async () => {
          if (++turns > 2000) throw new Error('the follower does not end');
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
        let shown = '';
        for await (const entry of followLog(deps, run, { stream })) shown += Buffer.from(entry.bytes).toString();
        const all = Array.from({ length: total }, (_, i) => i);
        const expected = all.filter((i) => !stream || (stream === 'stderr') === (i % 3 === 0));
        expect(shown).toBe(expected.map((i) => `${i} `).join(''));
      },
    ),
    { numRuns: 1000 },
  );
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
