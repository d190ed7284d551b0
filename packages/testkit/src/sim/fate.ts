// What becomes of a simulated host. A dead one is not told: whatever it waits for just never comes. A paused one goes
// on later as if nothing had happened, like a process after SIGSTOP and SIGCONT.
import type { Clock } from '@errand/core';
import type { OnStep } from '../faults/tracer.ts';

export interface Fate {
  die(): void;
  /** Dies at the n-th step from now, before or after its effect. */
  dieAt(steps: number, phase: 'before' | 'after'): void;
  /** Until this time of the clock. */
  pauseUntil(time: number): void;
  readonly dead: boolean;
  /** Every call of the host to the outside passes here, before and after. */
  readonly onStep: OnStep;
  /** The host's view of the clock. */
  readonly clock: Clock;
}

export function createFate(clock: Clock, onDeath: () => void): Fate {
  let dead = false;
  let resumeAt = 0;
  let doom: { steps: number; readonly phase: 'before' | 'after' } | undefined;

  function die(): void {
    if (!dead) onDeath();
    dead = true;
  }

  function pass(): Promise<void> | undefined {
    if (dead) return new Promise(() => {});
    return clock.now() < resumeAt ? sleepThrough() : undefined;
  }

  async function sleepThrough(): Promise<void> {
    while (clock.now() < resumeAt) await clock.sleep(resumeAt - clock.now());
    await pass();
  }

  return {
    die,
    dieAt: (steps, phase) => void (doom = { steps, phase }),
    pauseUntil: (time) => void (resumeAt = Math.max(resumeAt, time)),
    get dead() {
      return dead;
    },
    onStep: (phase) => {
      if (doom && phase === 'before') doom.steps -= 1;
      if (doom && doom.steps <= 0 && doom.phase === phase) die();
      return pass();
    },
    clock: {
      now: () => clock.now(),
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        await pass();
      },
    },
  };
}
