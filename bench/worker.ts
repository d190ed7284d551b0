// Programs that stay up between rounds. Each side of an in-process comparison has a process of its own, so neither pays
// for the other's heap (a fork of a large process costs more) and both have their code compiled when it counts.
import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface Worker extends AsyncDisposable {
  /** One round; resolves to what the program measured. */
  ask(rounds: Round): Promise<readonly number[]>;
}

export interface Round {
  readonly count: number;
  readonly width: number;
}

type Answer = { readonly values: readonly number[] } | { readonly problem: string };

export function startWorker(program: string, args: readonly string[]): Worker {
  const child = fork(join(import.meta.dirname, 'programs', program), [...args], { execArgv: ['--expose-gc'] });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  return {
    ask: (round) =>
      new Promise((resolve, reject) => {
        const dead = (code: number | null) => reject(new Error(`${program} ended with ${code} in the middle of a round`));
        child.once('exit', dead);
        child.once('message', (answer: Answer) => {
          child.removeListener('exit', dead);
          if ('values' in answer) resolve(answer.values);
          else reject(new Error(`${program}: ${answer.problem}`));
        });
        child.send(round);
      }),
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/**
 * The other end: answers rounds until the benchmark hangs up. `total` gives the milliseconds of the round, `memory` the
 * RSS of this process afterwards in MB, garbage collected, `starts` the milliseconds from each call of `run` to the time (`date +%s%N`)
 * that it resolves to.
 */
export async function answerRounds(measure: string, run: () => Promise<string>): Promise<void> {
  const hungUp = new Promise<void>((resolve) => {
    process.once('disconnect', resolve);
  });
  async function answer(round: Round): Promise<readonly number[]> {
    const starts: number[] = [];
    const begin = performance.now();
    await wide(round, async () => {
      const asked = performance.timeOrigin + performance.now();
      const text = await run();
      if (measure === 'starts') starts.push(Number(BigInt(text.trim()) / 1000n) / 1000 - asked);
    });
    if (measure === 'memory') {
      // What is held, not what waits to be collected.
      globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      return [process.memoryUsage.rss() / 1e6];
    }
    return measure === 'starts' ? starts : [performance.now() - begin];
  }
  process.on('message', (round: Round) => {
    answer(round).then(
      (values) => process.send?.({ values }),
      (error: unknown) => process.send?.({ problem: String(error) }),
    );
  });
  await hungUp;
}

/** Does `work` `count` times, `width` at once. */
async function wide({ count, width }: Round, work: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: width }, lane));
}
