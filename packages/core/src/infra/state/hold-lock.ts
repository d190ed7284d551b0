// A lock on a stack for the time of one command. It dies with its owner: a holder that is proven dead, or silent for too
// long, is passed over, and whatever it still writes is refused by its epoch.
import { ErrandError } from '@errand/contract';
import { quietly } from '../../base/quietly.ts';
import type { Settings } from '../../engine/types.ts';
import type { StackLock } from '../../model/infra/journal.ts';
import type { Ports } from '../../ports.ts';
import type { StateStore } from '../../store/infra/port.ts';

export interface Locking {
  readonly ports: Ports;
  readonly store: StateStore;
  readonly settings: Pick<Settings, 'claimFor' | 'beatEvery'>;
  readonly stack: string;
  /** `user@machine`, for people. */
  readonly owner: string;
}

export interface HeldLock extends AsyncDisposable {
  readonly lock: StackLock;
  /** Fires when the lock was taken away; its reason is the `infra/fenced` error. */
  readonly lost: AbortSignal;
}

const attempts = 5;

export async function holdLock(locking: Locking, reason: string): Promise<HeldLock> {
  const { ports, store, stack, owner, settings } = locking;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const seen = await store.look(stack);
    if (seen.lock && !isOrphaned(ports, seen.lock)) throw locked(seen.lock, ports.clock.now());
    const takenAt = ports.clock.now();
    const wanted = { stack, owner, holder: ports.identity.self, reason, takenAt, heldUntil: takenAt + settings.claimFor };
    const lock = await store.takeLock(seen.epoch, wanted, ports.random.id());
    if (lock) return keep(locking, lock);
  }
  throw new ErrandError('infra/locked', `wanted the lock of stack ${stack}: others were quicker each time`, {
    next: 'Try again in a moment.',
  });
}

export function isOrphaned(ports: Pick<Ports, 'clock' | 'identity'>, lock: StackLock): boolean {
  return lock.heldUntil < ports.clock.now() || ports.identity.isDead(lock.holder);
}

function keep({ ports, store, settings, stack }: Locking, lock: StackLock): HeldLock {
  const over = new AbortController();
  const lost = new AbortController();
  const beating = (async () => {
    for (;;) {
      await ports.clock.sleep(settings.beatEvery, over.signal);
      if (over.signal.aborted) return;
      try {
        await store.beatLock(stack, lock.epoch, ports.clock.now() + settings.claimFor);
      } catch (error) {
        // A store that does not answer decides nothing: the next beat, or the commit that is refused, will.
        if (error instanceof ErrandError && error.code === 'infra/fenced') return lost.abort(error);
      }
    }
  })();
  return {
    lock,
    lost: lost.signal,
    [Symbol.asyncDispose]: async () => {
      over.abort(quietly);
      await beating;
      // What cannot be given back now runs out by itself.
      await store.releaseLock(stack, lock.epoch).catch(() => {});
    },
  };
}

function locked(lock: StackLock, now: number): ErrandError {
  const seconds = Math.max(0, Math.round((now - lock.takenAt) / 1000));
  const who = `${lock.owner} (process ${lock.holder.pid})`;
  return new ErrandError(
    'infra/locked',
    `wanted the lock of stack ${lock.stack}: ${who} has held it for ${seconds} s, for: ${lock.reason}`,
    {
      next: 'Wait for it to end; if that process is not at work any more, take the lock from it with `errand infra unlock`.',
    },
  );
}
