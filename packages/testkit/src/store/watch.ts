import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { newRun } from './samples.ts';
import type { StoreScenario } from './scenario.ts';

export const watch: StoreScenario = {
  name: 'a watcher hears of writes through its own handle and through others, until it stops',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    let heard = 0;
    const watching = store.watch(() => heard++);
    // A listening connection may still be on its way.
    await sleep(300);
    heard = 0;
    await store.openRun(newRun('run-1'));
    await until(() => heard > 0, 100);
    heard = 0;
    await other.advanceRun('run-1', 1, 'lease', {}, 2);
    await until(() => heard > 0, 1_500);
    watching[Symbol.dispose]();
    watching[Symbol.dispose]();
    heard = 0;
    await other.advanceRun('run-1', 1, 'realize', {}, 2);
    await store.advanceRun('run-1', 1, 'start', {}, 2);
    await sleep(200);
    expect(heard).toBe(0);
  },
};

export const watchTwice: StoreScenario = {
  name: 'each of two watchers is called, also when one of them stops',
  run: async (bed) => {
    const [store, other] = [await bed.open(), await bed.open()];
    const heard = [0, 0];
    const first = store.watch(() => void (heard[0] = 1));
    using second = store.watch(() => void (heard[1] = 1));
    void second;
    await sleep(300);
    await other.openRun(newRun('run-1'));
    await until(() => heard.join('') === '11', 1_500);
    first[Symbol.dispose]();
    heard.fill(0);
    await other.advanceRun('run-1', 1, 'lease', {}, 2);
    await until(() => heard.join('') === '01', 1_500);
  },
};

async function until(condition: () => boolean, within: number): Promise<void> {
  await expect.poll(condition, { timeout: within, interval: 2, message: `nothing was heard within ${within} ms` }).toBe(true);
}
